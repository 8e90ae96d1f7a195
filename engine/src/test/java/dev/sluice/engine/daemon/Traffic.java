package dev.sluice.engine.daemon;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Writes to the source of a task until it is closed. Owned by the test that makes it. */
final class Traffic implements AutoCloseable {
  private static final int BETWEEN_CATCH_UPS = 50;

  private final Thread thread;
  private final AtomicLong commits = new AtomicLong();
  private volatile boolean ended;
  private volatile Exception failure;

  /** One transaction of an application. */
  interface Work {
    void run(Statement statement, Random random) throws SQLException;
  }

  private Traffic(EmbeddedPostgres source, String database, Runnable catchUp, Work work) {
    this.thread = new Thread(() -> write(source, database, catchUp, work), "traffic");
  }

  private static Traffic of(DdlTask task, Runnable catchUp, Work work) {
    return on(task.sourceServer(), task.name(), catchUp, work);
  }

  /**
   * @param catchUp what is waited for now and then
   */
  static Traffic on(EmbeddedPostgres source, String database, Runnable catchUp, Work work) {
    Traffic traffic = new Traffic(source, database, catchUp, work);
    traffic.thread.start();
    return traffic;
  }

  static Traffic on(DdlTask task, Work work) {
    return of(task, () -> {}, work);
  }

  /** The target catches up now and then, however slow the machine is. */
  static Traffic on(DdlTask task, RunningDaemon daemon, Work work) {
    return of(task, daemon::awaitApplied, work);
  }

  /** The same while the daemon makes the target equal, so that it cannot say that it is. */
  static Traffic besideResync(DdlTask task, RunningDaemon daemon, Work work) {
    return of(task, daemon::passFence, work);
  }

  private void write(EmbeddedPostgres source, String database, Runnable catchUp, Work work) {
    Random random = new Random(1);
    try (Connection connection = source.connect(database);
        Statement statement = connection.createStatement()) {
      while (!ended) {
        work.run(statement, random);
        if (commits.incrementAndGet() % BETWEEN_CATCH_UPS == 0) {
          catchUp.run();
        }
        // Sessions need a target that keeps up, on a slow machine too.
        Thread.sleep(5);
      }
    } catch (Exception e) {
      failure = e;
    }
  }

  long commits() {
    return commits.get();
  }

  /** Ends the writer, and fails if it has failed. Idempotent. */
  void end() {
    ended = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public void close() {
    end();
  }
}
