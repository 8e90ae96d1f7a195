package dev.sluice.connector.postgres.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the rows of a segment by COPY; a large row comes in pieces. Owned by the reading thread.
 *
 * <p>The server sends each row as one message. This is checked by each message's end, and the
 * number of rows is compared with the server's count at the end.
 */
public final class CopyRows implements SegmentRows {
  private static final Logger LOG = LoggerFactory.getLogger(CopyRows.class);

  /** Signature, flags and the length of the header extension, which is always empty. */
  private static final int BINARY_HEADER_BYTES = 19;

  private static final int BINARY_TRAILER_BYTES = 2;

  private final Segment segment;
  private final CopyFormat format;
  private final PGConnection connection;
  private final CopyOut copy;
  private final CopyMessages messages;
  private boolean headerSeen;
  private boolean inRow;
  private boolean ended;
  private long rows;

  private CopyRows(
      Segment segment,
      CopyFormat format,
      PGConnection connection,
      CopyOut copy,
      CopyMessages messages) {
    this.segment = segment;
    this.format = format;
    this.connection = connection;
    this.copy = copy;
    this.messages = messages;
  }

  static CopyRows begin(Segment segment, CopyFormat format, Connection connection, String sql)
      throws SQLException {
    PGConnection driver = connection.unwrap(PGConnection.class);
    CopyOut copy = driver.getCopyAPI().copyOut(sql);
    return new CopyRows(segment, format, driver, copy, CopyMessages.of(connection, copy));
  }

  /**
   * Fills a chunk with the next rows, or with a piece of a row that is larger than a chunk.
   *
   * @param mostRows limit of the rows that end in the chunk, above 0
   * @return false after the last row, with the chunk empty
   * @throws SluiceException if the source fails
   */
  @Override
  public boolean next(RowChunk chunk, int mostRows) {
    chunk.clear();
    try {
      while (chunk.rows() < mostRows && hasMessage()) {
        int count = messages.left();
        if (count > chunk.room()) {
          if (chunk.isEmpty()) {
            read(chunk, chunk.room());
            inRow = true;
          }
          break;
        }
        read(chunk, count);
        endMessage(chunk, count);
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read " + segment + " after row " + rows, e);
    }
    if (ended && copy.getHandledRowCount() != rows) {
      throw new SluiceException.Fatal(
          "BUG: %d rows of %s came in %d messages"
              .formatted(copy.getHandledRowCount(), segment, rows),
          null);
    }
    return !chunk.isEmpty();
  }

  /**
   * Ends the COPY, also before its last row. The connection is usable after a rollback. Idempotent.
   */
  @Override
  public void close() {
    if (!copy.isActive()) {
      return;
    }
    try {
      // Closing the driver's COPY would leave the rows that the server has sent on the connection.
      connection.cancelQuery();
      do {
        messages.skip(messages.left());
      } while (messages.next());
    } catch (SQLException e) {
      LOG.debug("could not cancel reading {}", segment, e);
    }
  }

  /** Whether a part of a message, or another message, is left. */
  private boolean hasMessage() throws SQLException {
    while (messages.left() == 0 && !ended) {
      ended = !messages.next();
      if (!ended && !headerSeen && format == CopyFormat.BINARY) {
        messages.skip(BINARY_HEADER_BYTES);
      }
      headerSeen = true;
    }
    return !ended;
  }

  private void read(RowChunk chunk, int count) throws SQLException {
    messages.read(chunk.bytes(), chunk.length(), count);
    chunk.added(count);
  }

  /** Counts the message as a row when its last bytes are in the chunk. */
  private void endMessage(RowChunk chunk, int count) {
    byte[] bytes = chunk.bytes();
    int end = chunk.length();
    if (format == CopyFormat.BINARY) {
      if (!inRow && count == BINARY_TRAILER_BYTES && bytes[end - 2] == -1 && bytes[end - 1] == -1) {
        chunk.removed(count);
        return;
      }
    } else if (bytes[end - 1] != '\n') {
      throw new SluiceException.Fatal(
          "BUG: a message from %s, of which the last %d bytes were read, does not end a line"
              .formatted(segment, count),
          null);
    }
    inRow = false;
    rows++;
    chunk.rowEnded();
  }
}
