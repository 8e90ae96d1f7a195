package dev.sluice.sink.apply;

import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks the checkpoint row in a separate session while DDL ends the transactions of another one, so
 * that a daemon that takes over must wait. A separate thread reads the row from time to time, since
 * a server may end a transaction that is idle for long. Owned by the apply thread.
 */
final class HeldCheckpoint implements AutoCloseable {
  /** Well below the 20 minutes after which a server ends an idle transaction. */
  static final Duration INTERVAL = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(HeldCheckpoint.class);
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);

  private final TargetConnection session;
  private final CheckpointRows rows;
  private final JournalOffset place;
  private final ScheduledExecutorService asking;

  /**
   * @param interval between two reads
   * @throws dev.sluice.config.document.SluiceException.Fenced if another owner claimed the row
   */
  HeldCheckpoint(TargetServer server, CheckpointRows rows, Duration interval) throws SQLException {
    this.rows = rows;
    this.session = server.connect();
    try {
      this.place = rows.lock(session);
    } catch (SQLException | RuntimeException e) {
      session.close();
      throw e;
    }
    this.asking =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sluice-held-checkpoint");
              thread.setDaemon(true);
              return thread;
            });
    asking.scheduleWithFixedDelay(
        this::ask, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The journal offset in the row. */
  JournalOffset place() {
    return place;
  }

  private void ask() {
    try {
      rows.lock(session);
    } catch (SQLException | RuntimeException e) {
      LOG.warn("the checkpoint is not held any more while a definition changes: {}", e.toString());
      // No further read: the row may belong to another daemon.
      asking.shutdown();
    }
  }

  @Override
  public void close() {
    asking.shutdownNow();
    try {
      if (!asking.awaitTermination(LONGEST_ANSWER.toMillis(), TimeUnit.MILLISECONDS)) {
        session.abort();
      }
    } catch (InterruptedException e) {
      session.abort();
      Thread.currentThread().interrupt();
    }
    session.close();
  }
}
