package dev.sluice.bench.mariadb;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tables like those of sysbench on a MariaDB server, and transactions like those of its
 * oltp_write_only: an update of an indexed column, an update of a text, and a row that is deleted
 * and inserted again. Owned by the benchmark's thread.
 */
public final class WrittenRows {
  /** The row that the last transaction changes. */
  private static final String LAST = "last";

  private static final int CHANGES = 4;

  private final EmbeddedMariadb server;
  private final String database;
  private final int tables;
  private final int rows;

  /**
   * @param database its name on the server, and so that of the target's schema
   * @param rows of each table
   */
  public WrittenRows(EmbeddedMariadb server, String database, int tables, int rows) {
    this.server = server;
    this.database = database;
    this.tables = tables;
    this.rows = rows;
  }

  /** Of the tables that are compared. */
  List<String> names() {
    return IntStream.rangeClosed(1, tables).mapToObj(i -> "t" + i).toList();
  }

  public EmbeddedMariadb server() {
    return server;
  }

  public String database() {
    return database;
  }

  /** The rows of the tables that are compared. */
  public long count() {
    return (long) tables * rows;
  }

  /** All rows, with the one that the last transaction changes. */
  public long countWithLast() {
    return count() + 1;
  }

  /** Creates and fills the tables. */
  public void create() throws SQLException {
    server.createDatabase(database);
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + LAST + " (id int PRIMARY KEY, n int NOT NULL)");
      statement.execute("INSERT INTO " + LAST + " VALUES (1, 0)");
      for (String name : names()) {
        statement.execute(
            "CREATE TABLE %s (id int PRIMARY KEY AUTO_INCREMENT, k int NOT NULL, c char(120) NOT NULL, pad char(60) NOT NULL, KEY k (k))"
                .formatted(name));
        statement.execute(
            "INSERT INTO %s SELECT seq, seq %% 1000, repeat(md5(seq), 3), md5(seq) FROM seq_1_to_%d"
                .formatted(name, rows));
        statement.execute(
            """
            CREATE PROCEDURE write_%1$s(transactions int)
            BEGIN
              DECLARE i int DEFAULT 0;
              DECLARE other int;
              WHILE i < transactions DO
                START TRANSACTION;
                SET other = 1 + floor(rand() * %2$d);
                UPDATE %1$s SET k = k + 1 WHERE id = other;
                SET other = 1 + floor(rand() * %2$d);
                UPDATE %1$s SET c = repeat(md5(rand()), 3) WHERE id = other;
                SET other = 1 + floor(rand() * %2$d);
                DELETE FROM %1$s WHERE id = other;
                INSERT INTO %1$s VALUES (other, i %% 1000, repeat(md5(i), 3), md5(other));
                COMMIT;
                SET i = i + 1;
              END WHILE;
            END
            """
                .formatted(name, rows));
      }
    }
  }

  /**
   * Commits transactions on all tables, one table after the other, and then changes the last row.
   *
   * @return how many rows were changed
   */
  public long write(int transactions) throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement()) {
      for (String name : names()) {
        statement.execute("CALL write_%s(%d)".formatted(name, transactions / tables));
      }
      statement.execute("UPDATE " + LAST + " SET n = n + 1");
    }
    return (long) transactions / tables * tables * CHANGES + 1;
  }

  /** Whether the target has the last change of the source. */
  public boolean hasArrived(Connection source, Connection target) throws SQLException {
    String query = "SELECT n FROM " + database + "." + LAST;
    return Database.single(source, query).equals(Database.single(target, query));
  }

  /** The end of the binary log, as a task file has it. */
  public String endOfLog() throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet end = statement.executeQuery("SHOW MASTER STATUS")) {
      end.next();
      return end.getString(1) + ":" + end.getLong(2);
    }
  }

  /**
   * Compares all rows.
   *
   * @throws IllegalStateException at the first row that differs
   */
  public void requireEqual(String who, Database target) throws SQLException {
    try (Connection from = server.connect(database);
        Connection to = target.connect()) {
      to.setAutoCommit(false);
      for (String name : names()) {
        String query = "SELECT id, k, c, pad FROM %s.%s ORDER BY id".formatted(database, name);
        try (Statement source = from.createStatement();
            Statement copy = to.createStatement()) {
          source.setFetchSize(10_000);
          copy.setFetchSize(10_000);
          requireEqual(who + ", " + name, source.executeQuery(query), copy.executeQuery(query));
        }
      }
    }
  }

  private static void requireEqual(String where, ResultSet source, ResultSet target)
      throws SQLException {
    while (source.next()) {
      boolean more = target.next();
      for (int column = 1; column <= 4; column++) {
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
