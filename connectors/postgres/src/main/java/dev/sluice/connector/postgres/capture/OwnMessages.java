package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.api.Position;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that this process wrote into the source's log, by their position. Every role may
 * write messages with any prefix, so only a message at a recorded position is accepted. The
 * position is recorded before the message's transaction commits, so before the log sends it.
 * Threadsafe.
 */
public final class OwnMessages {
  private static final Logger LOG = LoggerFactory.getLogger(OwnMessages.class);

  /** Positions kept; far more than any backlog has. */
  private static final int KEPT = 50_000;

  private static final Duration LOG_EVERY = Duration.ofMinutes(1);

  private final Map<Position, Kind> positions = new LinkedHashMap<>();
  private final Clock clock;
  private Instant logDue = Instant.MIN;
  private long ignored;
  private long logged;

  /** What a message is for. */
  public enum Kind {
    /** A fence: awaited at the sink. */
    FENCE,
    /** Lets the slot of an idle source advance. */
    PROGRESS
  }

  public OwnMessages(Clock clock) {
    this.clock = clock;
  }

  /** Records a message. Called while the message's transaction is open. */
  public synchronized void note(Position position, Kind kind) {
    positions.put(position, kind);
    if (positions.size() > KEPT) {
      positions.remove(positions.keySet().iterator().next());
    }
  }

  /** The kind of the message at a position; empty if this process did not write it. */
  synchronized Optional<Kind> at(Position position) {
    return Optional.ofNullable(positions.get(position));
  }

  /**
   * Counts a message or report that is forged or cannot be read, and logs it once a minute at most.
   *
   * @param what text for the log line, of bounded length
   */
  public synchronized void ignore(String what) {
    ignored++;
    if (clock.instant().isBefore(logDue)) {
      return;
    }
    LOG.warn(
        "the source's log has {}: ignored ({} since the start, {} since the last such line)",
        what,
        ignored,
        ignored - logged);
    logged = ignored;
    logDue = clock.instant().plus(LOG_EVERY);
  }

  /** Messages and reports ignored since the start. */
  public synchronized long ignored() {
    return ignored;
  }
}
