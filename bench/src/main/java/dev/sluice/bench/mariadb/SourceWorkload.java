package dev.sluice.bench.mariadb;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/**
 * Tables of a server of MariaDB or MySQL, transactions that change them, and their comparison with
 * a copy. Owned by the benchmark's thread.
 */
public abstract class SourceWorkload {
  /** The row that the last transaction changes. */
  private static final String LAST = "last";

  private final EmbeddedServer server;
  private final String database;

  /**
   * @param database its name on the server, and so that of the target's schema
   */
  SourceWorkload(EmbeddedServer server, String database) {
    this.server = server;
    this.database = database;
  }

  /** For messages, such as the size of its tables. */
  public abstract String description();

  /** Creates and fills the tables. */
  abstract void fill(Statement statement) throws SQLException;

  /** Commits transactions, and returns how many rows they changed. */
  abstract long change(Statement statement, int transactions) throws SQLException;

  /** The queries that print the rows of each table alike on both sides, in the order of its key. */
  abstract Map<String, String> rows();

  /** The rows of the tables that are compared, before any transaction. */
  public abstract long count();

  public final EmbeddedServer server() {
    return server;
  }

  public final String database() {
    return database;
  }

  /** All rows, with the one that the last transaction changes. */
  public final long countWithLast() {
    return count() + 1;
  }

  /** Creates the database with its tables. */
  public final void create() throws SQLException {
    server.createDatabase(database);
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + LAST + " (id int PRIMARY KEY, n int NOT NULL)");
      statement.execute("INSERT INTO " + LAST + " VALUES (1, 0)");
      if (isMysql()) {
        statement.execute("SET SESSION cte_max_recursion_depth = " + Integer.MAX_VALUE);
      }
      fill(statement);
    }
  }

  /**
   * Commits transactions, and then changes the last row.
   *
   * @return how many rows were changed
   */
  public final long write(int transactions) throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      long changes = change(statement, transactions);
      statement.execute("UPDATE " + LAST + " SET n = n + 1");
      return changes + 1;
    }
  }

  /** Whether the target has the last change of the source. */
  public final boolean hasArrived(Connection source, Connection target) throws SQLException {
    String query = "SELECT n FROM " + database + "." + LAST;
    return Database.single(source, query).equals(Database.single(target, query));
  }

  /** The numbers from 1 to the last one, as the column {@code seq} of a relation to select from. */
  final String numbers(int last) {
    return isMysql()
        ? "(WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < %d) SELECT seq FROM n)"
            .formatted(last)
        : "seq_1_to_" + last;
  }

  private boolean isMysql() {
    return server instanceof EmbeddedMysql;
  }

  /** The end of the binary log, as a task file has it. */
  public final String endOfLog() throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet end =
            statement.executeQuery(isMysql() ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS")) {
      end.next();
      return end.getString(1) + ":" + end.getLong(2);
    }
  }

  /**
   * Compares all rows.
   *
   * @throws IllegalStateException at the first row that differs
   */
  public final void requireEqual(String who, Database target) throws SQLException {
    try (Connection from = server.connect(database);
        Connection to = target.connect()) {
      to.setAutoCommit(false);
      for (Map.Entry<String, String> table : rows().entrySet()) {
        try (Statement source = from.createStatement();
            Statement copy = to.createStatement()) {
          source.setFetchSize(10_000);
          copy.setFetchSize(10_000);
          requireEqual(
              who + ", " + table.getKey(),
              source.executeQuery(table.getValue()),
              copy.executeQuery(table.getValue()));
        }
      }
    }
  }

  private static void requireEqual(String where, ResultSet source, ResultSet target)
      throws SQLException {
    int columns = source.getMetaData().getColumnCount();
    while (source.next()) {
      boolean more = target.next();
      for (int column = 1; column <= columns; column++) {
        // PostgreSQL pads char(n) with spaces, which MariaDB does not print.
        if (!more || !source.getString(column).equals(target.getString(column).stripTrailing())) {
          throw new IllegalStateException(where + ": row " + source.getString(1) + " differs");
        }
      }
    }
    if (target.next()) {
      throw new IllegalStateException(where + ": row " + target.getString(1) + " is only there");
    }
  }
}
