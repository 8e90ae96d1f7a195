package dev.sluice.connector.mariadb.capture.stream;

/*
 * The header of an event: time 4 | type 1 | server 4 | size 4 | end 4 | flags 2. The event may end
 * with a checksum of four bytes.
 */
/**
 * An event of the binary log. Its bytes are reused for the next one. Owned by the thread that reads
 * the log.
 *
 * @param type its number
 * @param seconds its time, seconds since 1970
 * @param size in bytes, with header and checksum
 * @param end the offset of the next event in the file, by the header its lower 32 bits; 0 for an
 *     event that is in no file, and for some in a transaction
 * @param artificial whether the server generated it for the reader
 */
public record LogEvent(
    int type, long seconds, long size, long end, boolean artificial, LogBytes body) {
  public static final int HEADER_BYTES = 19;

  private static final int OF_SESSION = 4;
  private static final int ARTIFICIAL = 0x20;
  private static final int TYPE_AT = 4;
  private static final int SERVER_AT = 5;
  private static final int SIZE_AT = 9;
  private static final int FLAGS_AT = 17;

  /** The number of the server that wrote it. */
  public long server() {
    return new LogBytes(body.array(), SERVER_AT, HEADER_BYTES).number(4);
  }

  /**
   * Whether its statement has a meaning only in its session, such as one about a temporary table.
   */
  public boolean isOfSession() {
    return (new LogBytes(body.array(), FLAGS_AT, HEADER_BYTES).number(2) & OF_SESSION) != 0;
  }

  /** The type of an event by its header. */
  static int type(byte[] header) {
    return header[TYPE_AT] & 0xFF;
  }

  /** The size of an event, header included, by its header. */
  static int size(byte[] header) {
    return Math.toIntExact(new LogBytes(header, SIZE_AT, HEADER_BYTES).number(4));
  }

  /**
   * Reads an event.
   *
   * @param size of the event in the bytes, without a checksum
   */
  public static LogEvent read(byte[] bytes, int size) {
    LogBytes header = new LogBytes(bytes, 0, size);
    long seconds = header.number(4);
    int type = header.next();
    header.skip(4);
    long whole = header.number(4);
    long end = header.number(4);
    int flags = (int) header.number(2);
    return new LogEvent(
        type,
        seconds,
        whole,
        end,
        (flags & ARTIFICIAL) != 0,
        new LogBytes(bytes, HEADER_BYTES, size));
  }

  /** The same event with the complete offset of its end. */
  public LogEvent endingAt(long offset) {
    return new LogEvent(type, seconds, size, offset, artificial, body);
  }
}
