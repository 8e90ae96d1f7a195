package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A user of tests that kill, who makes, alters, renames and drops tables of the schema {@code shop}
 * until he is stopped, and writes rows in between. Each list is one transaction.
 */
record TableChanger(EmbeddedPostgres source, String database) {
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(1_500);

  CompletableFuture<Void> start(long seed, AtomicBoolean stop) {
    return CompletableFuture.runAsync(() -> change(new Random(seed), stop));
  }

  private void change(Random random, AtomicBoolean stop) {
    try (Connection session = source.connect(database)) {
      session.setAutoCommit(false);
      for (int round = 0; !stop.get(); round++) {
        for (List<String> transaction : transactions(round)) {
          Sql.texts(session, transaction.toArray(String[]::new));
          session.commit();
          LockSupport.parkNanos(random.nextLong(LONGEST_PAUSE.toNanos()));
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<List<String>> transactions(int round) {
    String fresh = "shop.fresh_" + round;
    String kept = "shop.kept_" + round;
    String rows = "INSERT INTO %s SELECT i, 'r' || i %s FROM generate_series(%d, %d) i";
    return List.of(
        List.of(
            "CREATE TABLE %s (id int PRIMARY KEY, code varchar(5) NOT NULL DEFAULT 'x', gone int)"
                .formatted(fresh),
            rows.formatted(fresh, ", i", 1, 50)),
        List.of(
            "ALTER TABLE %s ADD COLUMN note text NOT NULL DEFAULT 'old %d'".formatted(fresh, round),
            rows.formatted(fresh, ", i, 'new'", 51, 60)),
        List.of(
            "ALTER TABLE shop.account ADD COLUMN more_%d timestamptz DEFAULT now()"
                .formatted(round)),
        List.of("UPDATE %s SET gone = gone + 1 WHERE id %% 3 = 0".formatted(fresh)),
        List.of("ALTER TABLE %s ALTER COLUMN code TYPE varchar(20)".formatted(fresh)),
        List.of("UPDATE %s SET code = 'much longer' WHERE id %% 5 = 0".formatted(fresh)),
        List.of("ALTER TABLE %s ALTER COLUMN gone TYPE bigint".formatted(fresh)),
        List.of(
            "ALTER TABLE %s RENAME COLUMN code TO label".formatted(fresh),
            "UPDATE %s SET label = label || '!' WHERE id %% 7 = 0".formatted(fresh)),
        List.of(
            "ALTER TABLE %s DROP COLUMN gone, ALTER COLUMN label DROP NOT NULL".formatted(fresh),
            "UPDATE %s SET label = NULL WHERE id %% 11 = 0".formatted(fresh)),
        List.of(
            "ALTER TABLE %s RENAME TO kept_%d".formatted(fresh, round),
            "DELETE FROM %s WHERE id %% 4 = 0".formatted(kept)),
        List.of("CREATE TABLE %s (id int PRIMARY KEY)".formatted(fresh)),
        List.of("INSERT INTO %s VALUES (7)".formatted(fresh)),
        List.of("ALTER TABLE shop.account DROP COLUMN more_%d".formatted(round)),
        List.of(
            round % 2 == 0 ? "DROP TABLE " + kept : "UPDATE %s SET note = 'last'".formatted(kept)));
  }
}
