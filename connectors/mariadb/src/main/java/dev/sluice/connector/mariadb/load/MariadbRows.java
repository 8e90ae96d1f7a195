package dev.sluice.connector.mariadb.load;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rows of a query, read as a stream and written as lines of COPY. */
final class MariadbRows implements SegmentRows {
  private static final Logger LOG = LoggerFactory.getLogger(MariadbRows.class);

  /** A number above 0 makes the driver stream; it then holds at most this many rows. */
  private static final int STREAMED_ROWS = 500;

  private final String what;
  private final List<LoadedColumn> columns;
  private final Statement statement;
  private final ResultSet rows;
  private final Runnable read;
  private final CopyLine line = new CopyLine();

  /** How many bytes of the line are in a chunk; its length if all are. */
  private int written;

  private boolean ended;
  private boolean closed;

  private MariadbRows(
      String what, List<LoadedColumn> columns, Statement statement, ResultSet rows, Runnable read) {
    this.what = what;
    this.columns = columns;
    this.statement = statement;
    this.rows = rows;
    this.read = read;
  }

  /**
   * @param what for messages
   * @param read called when reading from the connection has ended; maybe more than once
   */
  static MariadbRows begin(
      String what, Connection connection, List<LoadedColumn> columns, String sql, Runnable read)
      throws SQLException {
    Statement statement = connection.createStatement();
    statement.setFetchSize(STREAMED_ROWS);
    return new MariadbRows(what, columns, statement, statement.executeQuery(sql), read);
  }

  @Override
  public boolean next(RowChunk chunk, int mostRows) {
    chunk.clear();
    try {
      while (chunk.rows() < mostRows && hasBytes()) {
        int left = line.length() - written;
        if (left > chunk.room() && !chunk.isEmpty()) {
          break;
        }
        int count = Math.min(left, chunk.room());
        System.arraycopy(line.bytes(), written, chunk.bytes(), chunk.length(), count);
        chunk.added(count);
        written += count;
        if (written < line.length()) {
          break;
        }
        chunk.rowEnded();
      }
    } catch (SQLException e) {
      throw MariadbFailures.classify("read " + what, e);
    }
    return !chunk.isEmpty();
  }

  /** The next complete line; false after the last. */
  boolean nextLine() {
    try {
      written = line.length();
      return hasBytes();
    } catch (SQLException e) {
      throw MariadbFailures.classify("read " + what, e);
    }
  }

  CopyLine line() {
    return line;
  }

  private boolean hasBytes() throws SQLException {
    if (written < line.length()) {
      return true;
    }
    if (ended || !rows.next()) {
      ended = true;
      read.run();
      return false;
    }
    line.begin();
    for (int i = 0; i < columns.size(); i++) {
      line.add(rows.getBytes(i + 1), columns.get(i));
    }
    line.end();
    if (line.isRefused()) {
      throw refused();
    }
    written = 0;
    return true;
  }

  /** Names the value by its table, column and row. */
  private SluiceException refused() throws SQLException {
    List<String> key = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).key()) {
        key.add(columns.get(i).column().name() + " = " + rows.getString(i + 1));
      }
    }
    String row = key.isEmpty() ? "" : " in the row with " + String.join(", ", key);
    for (int i = 0; i < columns.size(); i++) {
      byte[] value = rows.getBytes(i + 1);
      Optional<Problem> problem =
          value == null ? Optional.empty() : columns.get(i).refusal(value, row);
      if (problem.isPresent()) {
        return new SluiceException.Fatal(problem.get());
      }
    }
    throw new IllegalStateException("BUG: a value of " + what + " was refused without a reason");
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!ended) {
        // Closing would first read all remaining rows.
        statement.cancel();
      }
    } catch (SQLException e) {
      LOG.debug("could not cancel reading {}", what, e);
    }
    try {
      rows.close();
      statement.close();
    } catch (SQLException e) {
      LOG.debug("could not end reading {}", what, e);
    }
    read.run();
  }
}
