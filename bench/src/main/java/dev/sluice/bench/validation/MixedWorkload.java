package dev.sluice.bench.validation;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.workload.OpenLoop;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Changes of all kinds: updates, changed keys, large values, moves between partitions, rolled back
 * subtransactions, and now and then TRUNCATE and DDL of tables of their own. Each connection has
 * its own rows, so that none waits for another. Stateless.
 */
final class MixedWorkload {
  static final int WRITERS = 8;

  /** Rows of the table ledger that the workload writes; those above stay as they are. */
  static final int WRITTEN = 50_000;

  static final int LEDGER = 100_000;
  static final List<String> TABLES =
      List.of("ledger", "doc", "moved", "part", "entry", "emptied", "altered");

  private static final int DOCUMENTS = 2_000;
  private static final int MOVED = 10_000;
  private static final int PARTED = 10_000;

  /** Mean number of row changes of a transaction. */
  static final double CHANGES = 9.5;

  private MixedWorkload() {}

  static void create(Database source) throws SQLException {
    source.execute(
        "CREATE TABLE ledger (id int PRIMARY KEY, balance numeric(14,2), amount float8,"
            + " at timestamptz, note text)",
        "INSERT INTO ledger SELECT g, g, 0, '2026-01-01 00:00:00+00'::timestamptz"
            + " + g * interval '1 s', CASE WHEN g % 2 = 0 THEN 'note ' || g END"
            + " FROM generate_series(1, "
            + LEDGER
            + ") g",
        "CREATE TABLE doc (id int PRIMARY KEY, n int, body text)",
        "INSERT INTO doc SELECT g, 0, repeat(md5(g::text), 300) FROM generate_series(1, "
            + DOCUMENTS
            + ") g",
        "CREATE TABLE moved (id int PRIMARY KEY, v text)",
        "INSERT INTO moved SELECT g, md5(g::text) FROM generate_series(1, " + MOVED + ") g",
        "CREATE TABLE part (bucket int, id int, v int, PRIMARY KEY (bucket, id))"
            + " PARTITION BY LIST (bucket)",
        "CREATE TABLE part_0 PARTITION OF part FOR VALUES IN (0)",
        "CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1)",
        "INSERT INTO part SELECT g % 2, g, 0 FROM generate_series(1, " + PARTED + ") g",
        "CREATE TABLE entry (writer int, number bigint, v text, PRIMARY KEY (writer, number))",
        "CREATE TABLE emptied (id int PRIMARY KEY, v text)",
        "CREATE TABLE altered (id int PRIMARY KEY, v text)",
        "INSERT INTO altered SELECT g, md5(g::text) FROM generate_series(1, 1000) g",
        """
        CREATE FUNCTION bench_mixed(w int, n bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE k int;
        BEGIN
          FOR i IN 1..8 LOOP
            UPDATE ledger SET balance = balance + 1
              WHERE id = (SELECT 1 + w + 8 * floor(random() * %1$d)::int);
          END LOOP;
          CASE n %% 10
            WHEN 0 THEN
              UPDATE doc SET n = doc.n + 1 WHERE id = (SELECT 1 + w + 8 * floor(random() * %2$d)::int);
            WHEN 1 THEN
              UPDATE doc SET body = repeat(md5(random()::text), 300)
                WHERE id = (SELECT 1 + w + 8 * floor(random() * %2$d)::int);
            WHEN 2, 3 THEN
              k := 1 + w + 8 * floor(random() * %3$d)::int;
              UPDATE moved SET id = CASE WHEN id = k THEN k + 1000000 ELSE k END
                WHERE id IN (k, k + 1000000);
            WHEN 4, 5 THEN
              UPDATE part SET bucket = 1 - bucket, v = v + 1
                WHERE bucket IN (0, 1) AND id = (SELECT 1 + w + 8 * floor(random() * %4$d)::int);
            WHEN 6 THEN
              BEGIN
                INSERT INTO entry VALUES (w, -n, 'rolled back');
                RAISE EXCEPTION 'undone';
              EXCEPTION WHEN raise_exception THEN NULL;
              END;
            ELSE
              INSERT INTO entry VALUES (w, n, md5(n::text));
              DELETE FROM entry WHERE writer = w AND number = n - 3000;
          END CASE;
        END $$"""
            .formatted(WRITTEN / 8, DOCUMENTS / 8, MOVED / 8, PARTED / 8));
  }

  static OpenLoop start(Database source, double changesPerSecond) {
    return OpenLoop.start(
        source, WRITERS, changesPerSecond / CHANGES, OpenLoop.call("bench_mixed"));
  }

  /** TRUNCATE and DDL, each a few seconds after the other, on a thread of its own. */
  static final class Definitions implements AutoCloseable {
    private final Database source;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "definitions");
    private volatile boolean stopping;

    Definitions(Database source) {
      this.source = source;
      thread.start();
    }

    private void run() {
      try (Connection connection = source.connect();
          Statement statement = connection.createStatement()) {
        for (int i = 1; !stopping; i++) {
          statement.execute("INSERT INTO emptied SELECT g, 'x' FROM generate_series(1, 500) g");
          pause();
          statement.execute("ALTER TABLE altered ADD COLUMN c" + i + " int DEFAULT " + i);
          statement.execute("UPDATE altered SET v = 'after " + i + "' WHERE id % 10 = 0");
          pause();
          statement.execute("TRUNCATE emptied");
          statement.execute("ALTER TABLE altered DROP COLUMN c" + i);
        }
      } catch (SQLException | InterruptedException e) {
        failure.set(e);
      }
    }

    private void pause() throws InterruptedException {
      for (int i = 0; i < 20 && !stopping; i++) {
        Thread.sleep(100);
      }
    }

    /** Ends it; nothing is changed after it returns. */
    void stop() throws Exception {
      stopping = true;
      thread.join();
      if (failure.get() != null) {
        throw failure.get();
      }
    }

    @Override
    public void close() {
      stopping = true;
    }
  }
}
