package dev.sluice.connector.postgres.load;

import java.io.IOException;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * The messages of a COPY TO STDOUT, each a row, which are read as far as there is room for, so that
 * a row of any size passes through a small heap. Owned by the thread that reads.
 */
final class CopyMessages {
  /*
   * The driver makes one array of each message: for small rows work without need, and for a value
   * of half a gigabyte more than a heap may have. So data messages are read here, off the driver's
   * own stream; all others are left to the driver, which ends the copy. The stream is between two
   * messages whenever the driver has it: it reads ahead no further than its buffer, which is the
   * stream's.
   */
  private static final char COPY_DATA = 'd';
  private static final int LENGTH_BYTES = 4;

  private static final Field STREAM = stream();

  private final CopyOut copy;
  private final PGStream stream;
  private byte[] fromDriver = {};
  private boolean isFromDriver;
  private int left;

  private CopyMessages(CopyOut copy, PGStream stream) {
    this.copy = copy;
    this.stream = stream;
  }

  /** The messages of a copy that has just begun on the connection. */
  static CopyMessages of(Connection connection, CopyOut copy) throws SQLException {
    try {
      return new CopyMessages(
          copy, (PGStream) STREAM.get(connection.unwrap(BaseConnection.class).getQueryExecutor()));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("BUG: the driver's stream cannot be read", e);
    }
  }

  /** Goes on to the next message, once nothing is left of this one; false after the last. */
  boolean next() throws SQLException {
    try {
      isFromDriver = stream.peekChar() != COPY_DATA;
      if (isFromDriver) {
        // Where a notice comes first, what the driver returns is the message behind it.
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

  /** How many bytes of the message were not read yet. */
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
   * Passes over the next bytes of the message; over all that are left, so that the driver can go on
   * behind it.
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
      throw broken("a row was passed over", e);
    }
  }

  private static PSQLException broken(String when, IOException cause) {
    return new PSQLException(
        "the connection broke while " + when, PSQLState.CONNECTION_FAILURE, cause);
  }

  private static Field stream() {
    try {
      Field field = QueryExecutorBase.class.getDeclaredField("pgStream");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
