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
 * The messages of a COPY TO STDOUT, each a row; those above a bound in pieces, so that a row of any
 * size passes through a small heap. Owned by the thread that reads.
 */
final class CopyMessages {
  /*
   * The driver makes one array of each message, which for a value of half a gigabyte is more than a
   * heap may have. So data messages are read here, off the driver's own stream; all others are left
   * to the driver, which ends the copy. The stream is between two messages whenever the driver has
   * it: it reads ahead no further than its buffer, which is the stream's.
   */
  static final int PIECE_BYTES = 256 * 1024;

  private static final char COPY_DATA = 'd';
  private static final int LENGTH_BYTES = 4;

  private static final Field STREAM = stream();

  private final CopyOut copy;
  private final PGStream stream;
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

  /** The next message, or piece of one; null after the last. */
  byte[] next() throws SQLException {
    try {
      if (left == 0) {
        if (stream.peekChar() != COPY_DATA) {
          // Where a notice comes first, what the driver returns is the message behind it.
          return copy.readFromCopy();
        }
        stream.receiveChar();
        left = stream.receiveInteger4() - LENGTH_BYTES;
      }
      byte[] piece = new byte[Math.min(left, PIECE_BYTES)];
      stream.receive(piece, 0, piece.length);
      left -= piece.length;
      return piece;
    } catch (IOException e) {
      throw new PSQLException(
          "the connection broke while a row was read", PSQLState.CONNECTION_FAILURE, e);
    }
  }

  /** Passes over what is left of a message, so that the driver can go on behind it. */
  void skipRest() throws SQLException {
    try {
      stream.skip(left);
      left = 0;
    } catch (IOException e) {
      throw new PSQLException(
          "the connection broke while a row was passed over", PSQLState.CONNECTION_FAILURE, e);
    }
  }

  /** Whether the piece that was read last is the end of its message. */
  boolean isMessageEnd() {
    return left == 0;
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
