package dev.sluice.engine.cutover.hook;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that insert rows through several instances, and stop at the first error. */
final class PgbouncerTraffic implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
  private final List<AtomicLong> inserted = new ArrayList<>();
  private volatile boolean stopped;

  static PgbouncerTraffic through(Pgbouncer... instances) {
    PgbouncerTraffic traffic = new PgbouncerTraffic();
    for (Pgbouncer instance : instances) {
      traffic.client(instance);
      traffic.client(instance);
    }
    traffic.awaitMore();
    return traffic;
  }

  private void client(Pgbouncer instance) {
    AtomicLong count = new AtomicLong();
    inserted.add(count);
    Thread thread =
        new Thread(
            () -> {
              try (Connection connection = instance.client();
                  Statement statement = connection.createStatement()) {
                while (!stopped) {
                  statement.execute("BEGIN; INSERT INTO sold DEFAULT VALUES; COMMIT");
                  count.incrementAndGet();
                }
              } catch (SQLException e) {
                errors.add(e.toString());
              }
            });
    threads.add(thread);
    thread.start();
  }

  /** Waits until every client has inserted more rows. */
  void awaitMore() {
    List<Long> before = inserted.stream().map(AtomicLong::get).toList();
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              if (!errors.isEmpty()) {
                throw new AssertionError(errors.toString());
              }
              for (int i = 0; i < before.size(); i++) {
                if (inserted.get(i).get() <= before.get(i)) {
                  return false;
                }
              }
              return true;
            });
  }

  long acknowledged() {
    return inserted.stream().mapToLong(AtomicLong::get).sum();
  }

  List<String> errors() {
    return List.copyOf(errors);
  }

  /** Ends the clients, and waits until they have ended. */
  void end() {
    stopped = true;
    await().atMost(LIMIT).until(() -> threads.stream().noneMatch(Thread::isAlive));
  }

  @Override
  public void close() {
    end();
  }
}
