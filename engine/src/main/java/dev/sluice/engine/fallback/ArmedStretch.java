package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.fallback.FallbackState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One stretch of log that is kept for a way back, and what its daemon knows of it. It outlives
 * attempts that fail: a cutover that began in the stretch may be decided in it. Owned by the
 * daemon, used by its main thread.
 */
public final class ArmedStretch {
  private UUID id = UUID.randomUUID();
  private List<TableId> covered = List.of();
  private Optional<Duration> roundTrip = Optional.empty();
  private Optional<UUID> seen = Optional.empty();
  private Optional<Instant> canaryAt = Optional.empty();
  private Optional<Boolean> armed = Optional.empty();
  private Optional<Instant> since = Optional.empty();

  /** The log is kept from now on: what was kept before is gone. */
  void renew() {
    id = UUID.randomUUID();
    covered = List.of();
    roundTrip = Optional.empty();
    seen = Optional.empty();
    canaryAt = Optional.empty();
    armed = Optional.empty();
  }

  /**
   * A canary came back after the tables were read.
   *
   * @param open the announced cutover that was known before that
   */
  void proven(List<TableId> tables, Duration trip, Optional<UUID> open, Instant now) {
    covered = List.copyOf(tables);
    roundTrip = Optional.of(trip);
    seen = open;
    canaryAt = Optional.of(now);
  }

  boolean hasSeenCutover() {
    return seen.isPresent();
  }

  /** What the task reads of it. */
  FallbackState state(Optional<String> problem, Instant now) {
    if (!armed.equals(Optional.of(problem.isEmpty()))) {
      armed = Optional.of(problem.isEmpty());
      since = Optional.of(now);
    }
    return new FallbackState(id, Duration.ZERO, covered, roundTrip, problem, seen, since, canaryAt);
  }
}
