package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Small transactions whose way is timed: each updates an account and inserts a row that names it,
 * by writer and number. A writer commits in the order of its numbers. Source and target need
 * track_commit_timestamp. Stateless.
 */
public final class TimedTransactions {
  public static final String TABLE = "bench_timed";
  public static final List<String> TABLES = List.of(TABLE, "bench_account");
  public static final OpenLoop.Transaction TRANSACTION = OpenLoop.call("bench_timed_transaction");

  private static final int ACCOUNTS = 100_000;

  private TimedTransactions() {}

  /** Makes the tables, the same on source and target. */
  public static void createTables(Database database) throws SQLException {
    database.execute(
        "CREATE TABLE " + TABLE + " (writer int, number bigint, PRIMARY KEY (writer, number))",
        "CREATE TABLE bench_account (id int PRIMARY KEY, balance int, note text)"
            + " WITH (fillfactor=80)",
        "INSERT INTO bench_account SELECT g, 0, md5(g::text) FROM generate_series(1, "
            + ACCOUNTS
            + ") g",
        "VACUUM ANALYZE");
  }

  /** What only the source has. */
  public static void createSource(Database source) throws SQLException {
    source.execute(
        """
        CREATE FUNCTION bench_timed_transaction(w int, n bigint) RETURNS void LANGUAGE sql
        BEGIN ATOMIC
          UPDATE bench_account SET balance = balance + 1
            WHERE id = (SELECT 1 + floor(random() * %d)::int);
          INSERT INTO %s VALUES (w, n);
        END"""
            .formatted(ACCOUNTS, TABLE),
        "CREATE PUBLICATION bench FOR TABLE " + String.join(", ", TABLES));
  }

  /** Writers and numbers of what is on the source, with the moments of commit, in order. */
  public static List<Latency.Committed> committed(Database source) throws SQLException {
    List<Latency.Committed> committed = new java.util.ArrayList<>();
    try (Connection connection = source.connect();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT writer, number,"
                    + " (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000000)::bigint"
                    + " FROM "
                    + TABLE
                    + " ORDER BY writer, number")) {
      while (result.next()) {
        committed.add(
            new Latency.Committed(result.getInt(1), result.getLong(2), result.getLong(3)));
      }
    }
    return committed;
  }
}
