package dev.sluice.connector.postgres.load;

import dev.sluice.config.internals.PgjdbcInternals;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.PGStream;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * Reads the messages of a COPY TO STDOUT, one for each row, in pieces of any size: a row larger
 * than the heap's share can be read. Owned by the reading thread.
 */
final class CopyMessages {
  /*
   * The driver makes one array of each message: a needless copy for small rows, and more than the heap
   * may have for a value of half a gigabyte. So data messages are read here, from the driver's own
   * stream. All others are left to the driver, which ends the copy. The driver gets the stream only
   * between two messages, and reads ahead only into the stream's own buffer.
   */
  private static final char COPY_DATA = 'd';
  private static final int LENGTH_BYTES = 4;

  private final CopyOut copy;
  private final PGStream stream;
  private byte[] fromDriver = {};
  private boolean isFromDriver;
  private int left;

  private CopyMessages(CopyOut copy, PGStream stream) {
    this.copy = copy;
    this.stream = stream;
  }

  /** Creates the reader of a copy that has just begun on the connection. */
  static CopyMessages of(Connection connection, CopyOut copy) throws SQLException {
    return new CopyMessages(copy, PgjdbcInternals.stream(connection));
  }

  /** Moves to the next message when this one is read completely; false after the last. */
  boolean next() throws SQLException {
    try {
      isFromDriver = stream.peekChar() != COPY_DATA;
      if (isFromDriver) {
        // After a notice the driver returns the message after it.
        fromDriver = copy.readFromCopy();
        left = fromDriver == null ? 0 : fromDriver.length;
        return fromDriver != null;
      }
      stream.receiveChar();
      left = stream.receiveInteger4() - LENGTH_BYTES;
      return true;
    } catch (IOException e) {
      throw broken("a row was read", e);
    }
  }

  /** The bytes of the message that were not read yet. */
  int left() {
    return left;
  }

  /**
   * Reads the next bytes of the message.
   *
   * @param count at most {@link #left}
   */
  void read(byte[] into, int at, int count) throws SQLException {
    try {
      if (isFromDriver) {
        System.arraycopy(fromDriver, fromDriver.length - left, into, at, count);
      } else {
        stream.receive(into, at, count);
      }
      left -= count;
    } catch (IOException e) {
      throw broken("a row was read", e);
    }
  }

  /**
   * Skips the next bytes of the message. All remaining ones must be skipped before the driver
   * continues.
   *
   * @param count at most {@link #left}
   */
  void skip(int count) throws SQLException {
    try {
      if (!isFromDriver) {
        stream.skip(count);
      }
      left -= count;
    } catch (IOException e) {
      throw broken("a row was skipped", e);
    }
  }

  private static PSQLException broken(String when, IOException cause) {
    return new PSQLException(
        "the connection broke while " + when, PSQLState.CONNECTION_FAILURE, cause);
  }
}
