package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Transactions of one shape in a source's log, which keeps them for every slot that was made
 * before. A row in a marker table comes last. Immutable.
 */
public record Backlog(Shape shape) {
  public static final String PUBLICATION = "bench";

  private static final String MARKER = "bench_marker";
  private static final int CONNECTIONS = 2;

  /** Of the transactions and of the marker. */
  public long changes() {
    return shape.changes() + 1;
  }

  /** Those of the transactions and of the marker. */
  public List<String> tables() {
    List<String> tables = new ArrayList<>(shape.tables());
    tables.add(MARKER);
    return tables;
  }

  /** Makes tables and rows; the same on source and target. */
  public void createTables(Database database) throws SQLException {
    database.execute(shape.creation());
    database.execute("CREATE TABLE " + MARKER + " (id int PRIMARY KEY)");
    database.execute(shape.filling());
    database.execute("VACUUM ANALYZE");
  }

  public void publish(Database source) throws SQLException {
    source.execute(
        "CREATE PUBLICATION "
            + PUBLICATION
            + " FOR TABLE "
            + String.join(", ", shape.tables())
            + ", "
            + MARKER);
  }

  /** Runs the transactions, on several connections, then the marker. */
  public void write(Database source) throws SQLException, InterruptedException {
    source.execute(
        """
        CREATE PROCEDURE bench_write(first bigint, last bigint) LANGUAGE plpgsql AS $$
        DECLARE
          %s
        BEGIN
          FOR i IN first..last LOOP
            %s
            COMMIT;
          END LOOP;
        END $$"""
            .formatted(shape.variables(), shape.transaction()));
    List<Thread> threads = new ArrayList<>();
    List<SQLException> failures = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      long first = shape.transactions() * i / CONNECTIONS + 1;
      long last = shape.transactions() * (i + 1) / CONNECTIONS;
      Thread thread =
          new Thread(
              () -> {
                try {
                  source.execute(
                      "SET synchronous_commit = off",
                      "CALL bench_write(" + first + ", " + last + ")");
                } catch (SQLException e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              },
              "backlog-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
    source.execute("INSERT INTO " + MARKER + " VALUES (1)", "DROP PROCEDURE bench_write");
  }

  /** Whether the last transaction of the backlog is on this database. */
  public static boolean hasArrived(Connection target) throws SQLException {
    return Database.single(target, "SELECT count(*) FROM " + MARKER).equals("1");
  }

  /** A fingerprint of every row of every table, to compare two databases by. */
  public String digest(Database database) throws SQLException {
    return Digest.of(database, shape.tables());
  }
}
