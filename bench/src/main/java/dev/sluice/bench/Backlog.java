package dev.sluice.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * pgbench's TPC-B on a source: its four tables, and a backlog of its transactions that the log
 * keeps for every slot made before. Each transaction updates an account, a teller and a branch and
 * inserts a row of history: four changes. A row in a marker table comes last.
 *
 * @param scale pgbench's scale: 100,000 accounts each
 * @param transactions of four changes each
 */
record Backlog(int scale, int transactions) {
  static final String PUBLICATION = "bench";
  static final List<String> TABLES =
      List.of("pgbench_accounts", "pgbench_tellers", "pgbench_branches", "pgbench_history");

  private static final int CONNECTIONS = 2;

  long changes() {
    return 4L * transactions + 1;
  }

  /** Makes the tables, without rows; the same on source and target. */
  static void createTables(Connection connection) throws SQLException {
    execute(
        connection,
        "CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88))"
            + " WITH (fillfactor=50)",
        "CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler"
            + " char(84)) WITH (fillfactor=50)",
        "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler"
            + " char(84))",
        "CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp,"
            + " filler char(22))",
        "ALTER TABLE pgbench_history REPLICA IDENTITY FULL",
        "CREATE TABLE bench_marker (id int PRIMARY KEY)");
  }

  /** Makes the rows, the same on source and target. */
  void fillTables(Connection connection) throws SQLException {
    execute(
        connection,
        "INSERT INTO pgbench_branches SELECT b, 0 FROM generate_series(1, " + scale + ") b",
        "INSERT INTO pgbench_tellers SELECT t, (t - 1) / 10 + 1, 0 FROM generate_series(1, "
            + scale * 10
            + ") t",
        "INSERT INTO pgbench_accounts SELECT a, (a - 1) / 100000 + 1, 0, '' FROM"
            + " generate_series(1, "
            + scale * 100_000
            + ") a",
        "VACUUM ANALYZE");
  }

  void publish(Connection connection) throws SQLException {
    execute(
        connection,
        "CREATE PUBLICATION "
            + PUBLICATION
            + " FOR TABLE "
            + String.join(", ", TABLES)
            + ", bench_marker");
  }

  /** Runs the transactions, on several connections, then the marker. */
  void write(Database source) throws SQLException, InterruptedException {
    try (Connection connection = source.connect()) {
      execute(
          connection,
          """
          CREATE PROCEDURE bench_tpcb(transactions int, scale int) LANGUAGE plpgsql AS $$
          DECLARE a int; t int; b int; d int;
          BEGIN
            FOR i IN 1..transactions LOOP
              a := 1 + floor(random() * 100000 * scale);
              t := 1 + floor(random() * 10 * scale);
              b := 1 + floor(random() * scale);
              d := -5000 + floor(random() * 10001);
              UPDATE pgbench_accounts SET abalance = abalance + d WHERE aid = a;
              UPDATE pgbench_tellers SET tbalance = tbalance + d WHERE tid = t;
              UPDATE pgbench_branches SET bbalance = bbalance + d WHERE bid = b;
              INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
                VALUES (t, b, a, d, clock_timestamp());
              COMMIT;
            END LOOP;
          END $$""");
    }
    List<Thread> threads = new ArrayList<>();
    List<SQLException> failures = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      int share = transactions / CONNECTIONS + (i < transactions % CONNECTIONS ? 1 : 0);
      Thread thread =
          new Thread(
              () -> {
                try (Connection connection = source.connect()) {
                  execute(connection, "SET synchronous_commit = off");
                  execute(connection, "CALL bench_tpcb(" + share + ", " + scale + ")");
                } catch (SQLException e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              },
              "backlog-" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
    try (Connection connection = source.connect()) {
      execute(connection, "INSERT INTO bench_marker VALUES (1)", "DROP PROCEDURE bench_tpcb");
    }
  }

  /** Whether the last transaction of the backlog is on this database. */
  static boolean hasArrived(Connection target) throws SQLException {
    try (Statement statement = target.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM bench_marker")) {
      result.next();
      return result.getLong(1) == 1;
    }
  }

  /** A fingerprint of every row of every table, to compare two databases by. */
  static String digest(Connection connection) throws SQLException {
    StringBuilder digest = new StringBuilder();
    for (String table : TABLES) {
      try (Statement statement = connection.createStatement();
          ResultSet result =
              statement.executeQuery(
                  "SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)), 0) FROM "
                      + table
                      + " t")) {
        result.next();
        digest.append(table).append(' ').append(result.getString(1)).append(' ');
        digest.append(result.getString(2)).append('\n');
      }
    }
    return digest.toString();
  }

  static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
