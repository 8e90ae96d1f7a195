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
 * The messages that this process wrote into the source's log, by the place that the server gave
 * each. Every role of the source may write messages under any prefix, so a message counts only at
 * such a place. It is noted before its transaction commits, hence before the log can tell of it.
 * Threadsafe.
 */
public final class OwnMessages {
  private static final Logger LOG = LoggerFactory.getLogger(OwnMessages.class);

  /** Far more than wait in any backlog. */
  private static final int KEPT = 50_000;

  private static final Duration LOG_EVERY = Duration.ofMinutes(1);

  private final Map<Position, Kind> places = new LinkedHashMap<>();
  private final Clock clock;
  private Instant logDue = Instant.MIN;
  private long ignored;
  private long logged;

  /** What a message is for. */
  public enum Kind {
    /** Comes out of the sink. */
    FENCE,
    /** Lets the slot of an idle source move. */
    PROGRESS
  }

  public OwnMessages(Clock clock) {
    this.clock = clock;
  }

  /** To be called while the message's transaction is open. */
  public synchronized void note(Position place, Kind kind) {
    places.put(place, kind);
    if (places.size() > KEPT) {
      places.remove(places.keySet().iterator().next());
    }
  }

  /** What the message at that place is for; empty where this process did not write it. */
  synchronized Optional<Kind> at(Position place) {
    return Optional.ofNullable(places.get(place));
  }

  /**
   * Counts something that came by a way of ours and is not ours, or cannot be read.
   *
   * @param what for the log, of bounded length
   */
  public synchronized void ignore(String what) {
    ignored++;
    if (clock.instant().isBefore(logDue)) {
      return;
    }
    LOG.warn(
        "the source's log has {}: ignored ({} such since the start, {} of them since the last line like this)",
        what,
        ignored,
        ignored - logged);
    logged = ignored;
    logDue = clock.instant().plus(LOG_EVERY);
  }

  /** How many there were. */
  public synchronized long ignored() {
    return ignored;
  }
}
