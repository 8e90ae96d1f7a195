package dev.sluice.connector.mariadb.capture.stream;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventHeader;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.deserialization.ChecksumType;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Takes the bytes of each event from the client before it decodes any. Owned by the thread that
 * reads the log.
 */
public final class RawEvents extends EventDeserializer {
  private static final int CHECKSUM_BYTES = 4;

  /** BINLOG_CHECKSUM_ALG_OFF, in front of the description's own checksum. */
  private static final int NO_CHECKSUMS = 0;

  private static final int LARGEST_KEPT = 16 * 1024 * 1024;

  /** The event that the client gets in place of each one, and ignores. */
  private static final Event TAKEN = new Event(new IgnoredHeader(), null);

  private final Receiver receiver;
  private byte[] buffer = new byte[64 * 1024];

  /**
   * Whether events end with a checksum. The reader announces that it knows checksums, so the first
   * event has one. After that, each file's description says it for the events of the file: files
   * may be written with different settings of the server.
   */
  private boolean checksums = true;

  /** Receives the events of the log. */
  public interface Receiver {
    /**
     * Takes an event, whose bytes are only valid during the call.
     *
     * @param more whether at least the beginning of the next event has arrived
     * @return false to read no more
     */
    boolean take(LogEvent event, boolean more);

    /** An event cannot be read. */
    void failed(IOException error);
  }

  public RawEvents(Receiver receiver) {
    this.receiver = receiver;
  }

  /** Ignored: it is the server's current setting, which says nothing about the files. */
  @Override
  @SuppressWarnings("deprecation")
  public void setChecksumType(ChecksumType type) {
    // Each file has its own.
  }

  @Override
  public Event nextEvent(ByteArrayInputStream stream) throws IOException {
    stream.fill(buffer, 0, LogEvent.HEADER_BYTES);
    int size = LogEvent.size(buffer);
    if (size < LogEvent.HEADER_BYTES) {
      throw stopped(new IOException("an event of the binary log has " + size + " bytes"));
    }
    if (buffer.length < size) {
      buffer = Arrays.copyOf(buffer, size);
    }
    stream.fill(buffer, LogEvent.HEADER_BYTES, size - LogEvent.HEADER_BYTES);
    boolean describes =
        LogEvent.type(buffer)
            == dev.sluice.connector.mariadb.capture.stream.EventType.FORMAT_DESCRIPTION;
    if (describes) {
      checksums = buffer[size - CHECKSUM_BYTES - 1] != NO_CHECKSUMS;
    }
    // That event has bytes for a checksum in any case.
    LogEvent event = LogEvent.read(buffer, checksums || describes ? size - CHECKSUM_BYTES : size);
    // The server changes that event after its checksum was computed.
    if (checksums && !describes) {
      requireChecksum(size, event);
    }
    if (!receiver.take(event, stream.available() > 0)) {
      throw new EOFException("the capture reads no more");
    }
    if (buffer.length > LARGEST_KEPT) {
      buffer = new byte[64 * 1024];
    }
    return TAKEN;
  }

  private void requireChecksum(int size, LogEvent event) throws IOException {
    CRC32 sum = new CRC32();
    sum.update(buffer, 0, size - CHECKSUM_BYTES);
    long logged = new LogBytes(buffer, size - CHECKSUM_BYTES, size).number(CHECKSUM_BYTES);
    if (sum.getValue() != logged) {
      throw stopped(
          new IOException(
              "an event of type %d that ends at offset %d of the binary log's file has a wrong checksum"
                  .formatted(event.type(), event.end())));
    }
  }

  /** An EOFException, since the client continues after other exceptions. */
  private EOFException stopped(IOException error) {
    receiver.failed(error);
    return new EOFException(error.getMessage());
  }

  private static final class IgnoredHeader implements EventHeader {
    private static final long serialVersionUID = 1;

    @Override
    public long getTimestamp() {
      return 0;
    }

    @Override
    public EventType getEventType() {
      return EventType.UNKNOWN;
    }

    @Override
    public long getServerId() {
      return 0;
    }

    @Override
    public long getHeaderLength() {
      return 0;
    }

    @Override
    public long getDataLength() {
      return 0;
    }
  }
}
