package dev.sluice.connector.postgres.load;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of a segment as they come out of COPY, large ones in pieces. Owned by the thread that
 * reads.
 *
 * <p>The server sends each row as a message of its own; that is checked, as far as a message shows
 * it, and the number of rows is compared with the server's count at the end.
 */
public final class SegmentRows implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRows.class);

  /** Signature, flags and the length of the header extension, which is always empty. */
  private static final int BINARY_HEADER_BYTES = 19;

  private static final int BINARY_TRAILER_BYTES = 2;

  private final Segment segment;
  private final CopyFormat format;
  private final CopyOut copy;
  private final CopyMessages messages;
  private boolean headerSeen;
  private boolean rowEnd = true;
  private long rows;

  private SegmentRows(Segment segment, CopyFormat format, CopyOut copy, CopyMessages messages) {
    this.segment = segment;
    this.format = format;
    this.copy = copy;
    this.messages = messages;
  }

  static SegmentRows begin(Segment segment, CopyFormat format, Connection connection, String sql)
      throws SQLException {
    CopyOut copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql);
    return new SegmentRows(segment, format, copy, CopyMessages.of(connection, copy));
  }

  /**
   * The next row, or the next piece of one: a line with its end in the text format, a tuple without
   * header and trailer in the binary format. Null after the last.
   *
   * @throws SluiceException where the source broke off
   */
  public byte[] next() {
    try {
      byte[] message = messages.next();
      while (message != null) {
        boolean whole = rowEnd && messages.isMessageEnd();
        rowEnd = messages.isMessageEnd();
        byte[] row = format == CopyFormat.BINARY ? tuple(message, whole) : line(message);
        if (row.length > 0) {
          rows += rowEnd ? 1 : 0;
          return row;
        }
        message = messages.next();
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read " + segment + " after row " + rows, e);
    }
    if (copy.getHandledRowCount() != rows) {
      throw new SluiceException.Fatal(
          "BUG: %d rows of %s came in %d messages"
              .formatted(copy.getHandledRowCount(), segment, rows),
          null);
    }
    return null;
  }

  /** Whether what was read last ends its row. */
  public boolean isRowEnd() {
    return rowEnd;
  }

  /** Ends the reading, also where rows are left. Idempotent. */
  @Override
  public void close() {
    if (copy.isActive()) {
      try {
        messages.skipRest();
        copy.cancelCopy();
      } catch (SQLException e) {
        LOG.debug("break off reading {}", segment, e);
      }
    }
  }

  private byte[] line(byte[] message) {
    if (rowEnd && (message.length == 0 || message[message.length - 1] != '\n')) {
      throw new SluiceException.Fatal(
          "BUG: a message of %d bytes from %s is not a whole line"
              .formatted(message.length, segment),
          null);
    }
    return message;
  }

  private byte[] tuple(byte[] message, boolean whole) {
    int from = headerSeen ? 0 : BINARY_HEADER_BYTES;
    headerSeen = true;
    boolean trailer =
        whole
            && message.length - from == BINARY_TRAILER_BYTES
            && message[from] == -1
            && message[from + 1] == -1;
    return trailer
        ? new byte[0]
        : from == 0 ? message : Arrays.copyOfRange(message, from, message.length);
  }
}
