package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.server.EqualAgain;

/*
 * A place as a position: 0 | timeline 9 | file 22 | offset 32 | number 32 | mark 32, the highest bits
 * first.
 *
 * The timeline counts how often the task has changed to another server. So everything from the new
 * server is after everything from the old one, whatever its files and offsets are.
 *
 * The number orders what is at the same place: 0 is the transaction that ends there, then come
 * snapshots, and then records of the task itself, such as fences. The mark says which history the
 * place belongs to (LogHistory). It has the lowest bits, so it decides no order within one history.
 */
/**
 * A place between two transactions of the binary log: the number of a file and an offset there.
 * Immutable.
 *
 * @param timeline how often the task had changed the server before it read this log, from 0
 * @param file the number at the end of the file's name, from 1
 * @param offset in bytes, below 4 GiB
 */
public record BinlogPosition(int timeline, long file, long offset)
    implements Comparable<BinlogPosition> {
  /** Where the first event of a file begins. */
  public static final long FIRST_EVENT = 4;

  /** The number of a snapshot's position: after the transaction that ends there. */
  private static final long SNAPSHOT = 1;

  /** The highest offset that a server can be asked to send its log from. */
  public static final long LARGEST_OFFSET = 0xFFFF_FFFFL;

  /** The highest file number that a position can have. */
  static final long LAST_FILE = (1 << 22) - 1;

  /** The last timeline that a position can have. */
  static final int LAST_TIMELINE = (1 << 9) - 1;

  private static final int TIMELINE_AT = 54;
  private static final long MASK = 0xFFFF_FFFFL;

  public BinlogPosition {
    if (file < 0
        || file > LAST_FILE
        || offset < 0
        || offset > MASK
        || timeline < 0
        || timeline > LAST_TIMELINE) {
      throw new IllegalArgumentException(
          "BUG: no place of a binary log: file %d, offset %d, timeline %d"
              .formatted(file, offset, timeline));
    }
  }

  /** A place in the log of the first server. */
  public BinlogPosition(long file, long offset) {
    this(0, file, offset);
  }

  /** The place of a position. */
  public static BinlogPosition of(Position position) {
    return new BinlogPosition(
        (int) (position.high() >>> TIMELINE_AT),
        position.high() >>> 32 & LAST_FILE,
        position.high() & MASK);
  }

  /**
   * The place by a file's name.
   *
   * @param name such as {@code binlog.000012}
   * @throws IllegalArgumentException if the name has no number
   * @throws SluiceException.Retryable if the offset is beyond 4 GiB
   * @throws SluiceException.Fatal if no position has room for the number
   */
  public static BinlogPosition of(String name, long offset) {
    String number = name.substring(name.lastIndexOf('.') + 1);
    if (!name.contains(".") || !number.matches("[0-9]{1,10}")) {
      throw new IllegalArgumentException("not a file of a binary log: '" + name + "'");
    }
    if (offset > LARGEST_OFFSET) {
      throw new SluiceException.Retryable(
          "file %s of the binary log is beyond 4 GiB, at %d, where no position is: the server begins another file after the transaction"
              .formatted(name, offset),
          null);
    }
    if (Long.parseLong(number) > LAST_FILE) {
      throw new SluiceException.Fatal(
          new Problem(
              "the binary log",
              "file " + name,
              "a number up to " + LAST_FILE,
              EqualAgain.byResyncAfter(
                  "RESET MASTER begins the numbers again, and deletes all files of the log: run it only when no replica and no backup needs them any more")));
    }
    return new BinlogPosition(Long.parseLong(number), offset);
  }

  /** The same place in the log of the server that the task reads on a timeline. */
  public BinlogPosition on(int otherTimeline) {
    return new BinlogPosition(otherTimeline, file, offset);
  }

  /** Another offset in the same file. */
  public BinlogPosition at(long otherOffset) {
    return new BinlogPosition(timeline, file, otherOffset);
  }

  /** Whether it has the last timeline, so that the task cannot change the server again. */
  public boolean isOfLastTimeline() {
    return timeline == LAST_TIMELINE;
  }

  /** The position of the transaction that ends here, without a mark: no capture starts there. */
  public Position position() {
    return position(0, 0);
  }

  /** The position of the transaction that ends here. */
  public Position position(LogHistory history) {
    return position(0, history.mark());
  }

  /** The position of a snapshot that shows all transactions up to here. */
  public Position ofSnapshot(LogHistory history) {
    return position(SNAPSHOT, history.mark());
  }

  /** The same without a mark, for a load without changes: no capture starts there. */
  public Position ofSnapshot() {
    return position(SNAPSHOT, 0);
  }

  /**
   * A file and an offset that the task file names, such as {@code binlog.000012:420}.
   *
   * @param text of that form
   */
  public static Position ofTaskFile(String text) {
    int colon = text.lastIndexOf(':');
    String file = text.substring(0, colon);
    return of(file, Long.parseLong(text.substring(colon + 1)))
        .named(file.substring(0, file.lastIndexOf('.')));
  }

  /**
   * A position from the task file: of its history only the name of the file is known.
   *
   * @param base the name without the number
   */
  public Position named(String base) {
    return position(0, LogHistory.markOf(base));
  }

  /** The position of the transaction that ends here, with the highest mark. */
  public Position highest() {
    return position(0, MASK);
  }

  /** Above all positions of this place. */
  public Position last() {
    return new Position(position().high(), -1);
  }

  /**
   * A position after the transaction that ends here, and before the next one.
   *
   * @param number from 1
   * @param mark of the history at this place
   */
  public Position position(long number, long mark) {
    return new Position(
        (long) timeline << TIMELINE_AT | file << 32 | offset, number << 32 | mark & MASK);
  }

  /** The number of a position after a transaction; 0 for the transaction's own. */
  public static long numberOf(Position position) {
    return position.low() >>> 32;
  }

  /** Which history a position belongs to: see {@link LogHistory#mark}. */
  public static long markOf(Position position) {
    return position.low() & MASK;
  }

  /**
   * The number of the transaction that ends here: higher than those of all earlier ones in the log,
   * and never 0.
   */
  public long number() {
    return position().high();
  }

  /**
   * The name of the file.
   *
   * @param base the name without the number, such as {@code binlog}
   */
  public String fileName(String base) {
    return "%s.%06d".formatted(base, file);
  }

  @Override
  public int compareTo(BinlogPosition other) {
    return position().compareTo(other.position());
  }

  /** For messages: {@code 000012:420}. */
  @Override
  public String toString() {
    return "%06d:%d".formatted(file, offset);
  }
}
