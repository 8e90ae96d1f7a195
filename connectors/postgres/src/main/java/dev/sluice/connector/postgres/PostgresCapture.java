package dev.sluice.connector.postgres;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.journal.IdleProgress;
import dev.sluice.connector.postgres.capture.LogCapture;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.slot.PostgresLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Captures a PostgreSQL source. A {@link LogCapture} reads the log. A thread beside it writes a
 * progress message into the log of an idle source, so that the slot advances although no captured
 * table changes, and deletes the event triggers' definitions that the slot has passed.
 *
 * <p>That thread also sends a short query on an ordinary session. If it fails, the capture ends.
 * This finds two states that the reader finds late or never. A server that shuts down ends ordinary
 * sessions at once, but waits without a limit for a reader that has not confirmed everything
 * ("wal_sender_timeout" in PostgreSQL's manual does not end a reader that answers). And a reader
 * notices only after many minutes that its host has vanished.
 */
final class PostgresCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresCapture.class);

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final Duration FORGET_INTERVAL = Duration.ofHours(1);

  /** The longest that a server which shuts down waits for the capture's end. */
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(5);

  /** "too_many_connections" in PostgreSQL's manual: of the server, the database or the role. */
  private static final String NO_SESSION_LEFT = "53300";

  private final LogCapture capture;
  private final SourceServer server;
  private final PostgresLog log;
  private final Optional<DefinitionTrigger> triggers;
  private final Duration idleAfter;
  private final Thread thread;
  private volatile SluiceException failure;
  private volatile Connection probe;
  private volatile boolean closing;

  /**
   * Starts the thread.
   *
   * @param triggers empty if the source has none
   * @param idleAfter time without an acknowledged position after which a message is written
   */
  PostgresCapture(
      LogCapture capture,
      SourceServer server,
      PostgresLog log,
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
    closing = true;
    thread.interrupt();
    abort();
    capture.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cuts the connection, so that a source that does not answer cannot hold the thread. */
  private void abort() {
    Connection session = probe;
    if (session != null) {
      try {
        session.abort(Runnable::run);
      } catch (SQLException e) {
        LOG.debug("the session did not close cleanly: {}", e.toString());
      }
    }
  }

  private void keepMoving() {
    try {
      moveAndAsk();
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      failed(SourceFailures.classify("asking the source whether it answers", e));
    } catch (RuntimeException | Error e) {
      // Without this thread the slot of an idle source would not advance and would retain the log.
      LOG.error("the progress thread failed: {}", e.toString(), e);
      failed(new SluiceException.Fatal("BUG: the progress thread ended: " + e, e));
    }
  }

  private void failed(SluiceException error) {
    if (!closing && capture.failure().isEmpty()) {
      LOG.warn("the capture ends: {}", error.getMessage());
      failure = error;
    }
  }

  private void moveAndAsk() throws SQLException, InterruptedException {
    MonotonicClock clock = new MonotonicClock();
    IdleProgress idle =
        new IdleProgress(idleAfter, capture.progress().acknowledged(), clock.instant());
    Instant forgetDue = clock.instant();
    Instant probeDue = clock.instant();
    long pause = Math.min(POLL_INTERVAL.toMillis(), Math.max(1, idleAfter.toMillis() / 2));
    try {
      while (capture.failure().isEmpty()) {
        Thread.sleep(pause);
        if (!clock.instant().isBefore(probeDue)) {
          probeDue = clock.instant().plus(PROBE_INTERVAL);
          askOrOpen();
        }
        if (idle.isDue(capture.progress().acknowledged(), clock.instant())) {
          emit();
        }
        if (!clock.instant().isBefore(forgetDue)) {
          forgetDue = clock.instant().plus(FORGET_INTERVAL);
          triggers.ifPresent(PostgresCapture::forget);
        }
      }
    } finally {
      if (probe != null) {
        probe.close();
      }
    }
  }

  /** Not on a borrowed session, which is renewed where it has ended. */
  private void askOrOpen() throws SQLException {
    if (probe != null) {
      ask(probe);
      return;
    }
    try {
      probe = server.open();
    } catch (SQLException e) {
      if (!NO_SESSION_LEFT.equals(e.getSQLState())) {
        throw e;
      }
      LOG.debug("the source has no session left to ask it something: {}", e.getMessage());
    }
  }

  private static void ask(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("SELECT 1");
    }
  }

  private static void forget(DefinitionTrigger triggers) {
    try {
      triggers.forget();
    } catch (SluiceException e) {
      LOG.warn(
          "old table definitions on the source were not deleted; the next attempt is in an hour: {}",
          e.getMessage());
    }
  }

  /**
   * Writes a progress message. A failure is only logged: the capture itself notices a lost source.
   */
  private void emit() {
    try (Connection connection = server.borrow()) {
      log.emitProgress(connection);
    } catch (SQLException e) {
      LOG.warn(
          "the progress message could not be written to the source; the next attempt follows: {}",
          e.getMessage());
    }
  }
}
