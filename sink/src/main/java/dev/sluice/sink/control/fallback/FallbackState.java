package dev.sluice.sink.control.fallback;

import dev.sluice.config.TableId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The state of an armed way back. Immutable.
 *
 * @param armed distinguishes periods in which the log was kept
 * @param age since its daemon wrote it
 * @param covered the tables of the new side whose changes would be carried back
 * @param roundTrip of the last canary; empty if none came back yet
 * @param problem why it is not armed; empty if it is
 * @param seen the announced cutover of which its daemon knew before it read the tables
 * @param since when it was armed, or ceased to be, by its daemon's clock; empty if unknown
 * @param canaryAt when the last canary came back, by its daemon's clock
 */
public record FallbackState(
    UUID armed,
    Duration age,
    List<TableId> covered,
    Optional<Duration> roundTrip,
    Optional<String> problem,
    Optional<UUID> seen,
    Optional<Instant> since,
    Optional<Instant> canaryAt) {
  public FallbackState {
    covered = List.copyOf(covered);
  }
}
