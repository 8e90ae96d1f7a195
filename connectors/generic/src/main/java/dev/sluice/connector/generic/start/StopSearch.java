package dev.sluice.connector.generic.start;

import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StopReading;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.database.DatabaseFacts;
import dev.sluice.connector.generic.record.Bookmark;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds where a task stops that stops after what is committed at a moment. When the moment has
 * come, the source is asked for its log's end; the capture is there when it has journaled a
 * bookmark that reaches it. One moment for all captures of a process. The main thread reads; the
 * capture's thread reports.
 */
public final class StopSearch {
  private static final Logger LOG = LoggerFactory.getLogger(StopSearch.class);

  /** The source's clock is asked at least so often, since it may be set. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  private final JdbcServer server;
  private final CaptureState state;
  private final Clock clock;
  private Instant nextQuestion = Instant.MIN;
  private final AwaitedEnd end = new AwaitedEnd();
  private volatile Instant time = Instant.MIN;

  /** What has begun after the last position, and may be a statement; null if nothing has. */
  private volatile Begun begun;

  public StopSearch(JdbcServer server, CaptureState state, Clock clock) {
    this.server = server;
    this.state = state;
    this.clock = clock;
  }

  /**
   * A capture begins.
   *
   * @param start of which the journal has all: what was found after it has another position now
   */
  public void begin(Optional<CdcStop> stop, Position start) {
    time = stop.orElse(null) instanceof CdcStop.AtServerTime at ? at.time() : Instant.MIN;
    end.begin(start);
    begun = null;
  }

  /**
   * What is known now. Called by one thread.
   *
   * @throws dev.sluice.config.document.SluiceException if the source does not answer, or cannot
   *     tell its log's end
   */
  public StopReading read() {
    // Before the rest: what is journaled later may be after the stop.
    Position journaled = state.position().orElse(Position.ZERO);
    // The rows of a snapshot may be newer than what Debezium names as its place.
    if (!end.isKnown() && !AttemptPosition.isBeginning(journaled)) {
      ask();
    }
    askOfStatement();
    return end.found()
        .<StopReading>map(StopReading.At::new)
        .orElseGet(() -> new StopReading.NotUpTo(journaled));
  }

  private void ask() {
    Instant now = clock.instant();
    if (now.isBefore(nextQuestion)) {
      return;
    }
    DatabaseFacts facts = DatabaseFacts.of(server.config());
    Instant source = server.ask("read the clock", facts::clock);
    if (source.isBefore(time)) {
      Duration left = Duration.between(source, time);
      nextQuestion = now.plus(left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT);
      return;
    }
    end.ask();
    try {
      end.answer(server.ask("find the end of the log", facts::end));
    } catch (RuntimeException e) {
      end.fail();
      throw e;
    }
    LOG.info("the task stops after what is committed now, at {} of the source's clock", source);
  }

  /** Behind a statement a source that rests shows no other sign that it was read. */
  private void askOfStatement() {
    Begun last = begun;
    if (last == null || !end.isReachedBy(last.bookmark())) {
      return;
    }
    if (server.ask(
        "read the binary log",
        session -> DatabaseFacts.of(server.config()).hasReadStatement(session, last.bookmark()))) {
      end.find(last.behind());
    }
    if (begun == last) {
      begun = null;
    }
  }

  /** Whether the capture has yet to say when it has come to the end. */
  public boolean isWaiting() {
    return end.isWaiting();
  }

  /**
   * The capture has sent all up to a position.
   *
   * @param bookmark at the position
   */
  public void sent(Position position, Bookmark bookmark) {
    end.sent(position, bookmark);
  }

  /**
   * The capture has read the beginning of what may be a statement.
   *
   * @param behind the position of what was sent last
   */
  public void begun(Position behind, Bookmark bookmark) {
    begun = new Begun(behind, bookmark);
  }

  private record Begun(Position behind, Bookmark bookmark) {}
}
