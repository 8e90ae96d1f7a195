package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * An application of tests that kill: it writes to the tables {@code shop.account} and {@code
 * shop.entry} until it is stopped, each transaction a few changes of any kind.
 *
 * @param accounts how many there are at first
 */
record AccountWriter(EmbeddedPostgres source, String database, int accounts) {
  /** As many transactions as the processors can do prove no more. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  /** Starts some, each on a thread of its own. */
  List<CompletableFuture<Void>> start(int writers, long seed, AtomicBoolean stop) {
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      Random random = new Random(seed + i);
      running.add(CompletableFuture.runAsync(() -> write(random, stop)));
    }
    return running;
  }

  private void write(Random random, AtomicBoolean stop) {
    try (Connection session = source.connect(database)) {
      session.setAutoCommit(false);
      while (!stop.get()) {
        try {
          for (int i = random.nextInt(5); i >= 0; i--) {
            Sql.execute(session, statement(random));
          }
          session.commit();
        } catch (SQLException e) {
          // A row that another one has inserted, or a deadlock.
          session.rollback();
        }
        LockSupport.parkNanos(random.nextLong(LONGEST_PAUSE.toNanos()));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String statement(Random random) {
    int id = 1 + random.nextInt(accounts);
    int other = 1 + accounts + random.nextInt(1_000_000);
    return switch (random.nextInt(8)) {
      case 0 -> "DELETE FROM shop.account WHERE id = " + id;
      case 1 -> "INSERT INTO shop.account VALUES (%1$d, 'code %1$d', 'new', %1$d)".formatted(other);
      case 2 -> "UPDATE shop.account SET id = %d WHERE id = %d".formatted(other, id);
      case 3 ->
          "INSERT INTO shop.entry VALUES (%d, %d, 1.5, clock_timestamp())"
              .formatted(id, random.nextInt(1000));
      case 4 -> "UPDATE shop.entry SET amount = amount + 1 WHERE account = " + id / 10;
      case 5 -> "DELETE FROM shop.entry WHERE account = " + id / 10;
      case 6 -> "UPDATE shop.account SET code = 'code -' || id WHERE id = " + id;
      default -> "UPDATE shop.account SET n = n + 1 WHERE id = " + id;
    };
  }
}
