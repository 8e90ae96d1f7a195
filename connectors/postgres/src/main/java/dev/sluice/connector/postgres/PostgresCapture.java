package dev.sluice.connector.postgres;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.debezium.DebeziumCapture;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.slot.SourceLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A capture of a PostgreSQL source: Debezium's, and a thread that writes a progress message into an
 * idle source's log, so that the slot moves although no captured table changes, and that has the
 * event triggers forget what the slot has passed.
 */
final class PostgresCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresCapture.class);

  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration FORGET_EVERY = Duration.ofHours(1);

  private final DebeziumCapture capture;
  private final SourceServer server;
  private final SourceLog log;
  private final Optional<DefinitionTrigger> triggers;
  private final Duration idleAfter;
  private final Thread thread;
  private volatile SluiceException failure;

  /**
   * Starts the thread.
   *
   * @param triggers empty where the source has none
   * @param idleAfter how long nothing must have been acknowledged before a message is written
   */
  PostgresCapture(
      DebeziumCapture capture,
      SourceServer server,
      SourceLog log,
      Optional<DefinitionTrigger> triggers,
      Duration idleAfter,
      String task) {
    this.capture = capture;
    this.server = server;
    this.log = log;
    this.triggers = triggers;
    this.idleAfter = idleAfter;
    this.thread = new Thread(this::keepMoving, "sluice-progress-" + task);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public CaptureProgress progress() {
    return capture.progress();
  }

  @Override
  public Optional<SluiceException> failure() {
    return capture.failure().or(() -> Optional.ofNullable(failure));
  }

  @Override
  public void close() {
    thread.interrupt();
    capture.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void keepMoving() {
    MonotonicClock clock = new MonotonicClock();
    IdleProgress idle =
        new IdleProgress(idleAfter, capture.progress().acknowledged(), clock.instant());
    Instant forgetDue = clock.instant();
    long pause = Math.min(LOOK_EVERY.toMillis(), Math.max(1, idleAfter.toMillis() / 2));
    try {
      while (capture.failure().isEmpty()) {
        Thread.sleep(pause);
        if (idle.isDue(capture.progress().acknowledged(), clock.instant())) {
          emit();
        }
        if (!clock.instant().isBefore(forgetDue)) {
          forgetDue = clock.instant().plus(FORGET_EVERY);
          triggers.ifPresent(PostgresCapture::forget);
        }
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      // Without this thread the slot of an idle source would stay where it is, and keep its log.
      failure = new SluiceException.Fatal("BUG: the progress thread ended: " + e, e);
      LOG.error("the progress thread ends: {}", e.toString(), e);
    }
  }

  private static void forget(DefinitionTrigger triggers) {
    try {
      triggers.forget();
    } catch (SluiceException e) {
      LOG.warn("old definitions of tables are kept on the source: {}", e.getMessage());
    }
  }

  /**
   * A source that is away is noticed by the capture itself; the message waits for the next turn.
   */
  private void emit() {
    try (Connection connection = server.open()) {
      log.emitProgress(connection);
    } catch (SQLException e) {
      LOG.warn("no progress message could be written to the source: {}", e.getMessage());
    }
  }
}
