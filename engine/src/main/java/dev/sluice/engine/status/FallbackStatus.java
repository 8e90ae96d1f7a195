package dev.sluice.engine.status;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The way back of a task, as the task's own daemon sees it. Part of the status page. Immutable;
 * absent values are null.
 *
 * @param state {@code armed}, {@code not-armed}, {@code begun}, {@code brought-back} or {@code
 *     target-lost}
 * @param since when it was armed, or ceased to be; null if unknown, and once it has begun
 * @param answered when its daemon last wrote what it knows; null if it never did
 * @param canaryMillis how long the last canary took; null before the first
 * @param canaryAt when that came back
 * @param lagSeconds how far the old source is behind the new side; null unless it has begun and
 *     that is known
 * @param keptBytes log that the new side keeps for it; null if it could not be measured
 * @param readBytes of it kept for open transactions of the new side only, since it was read
 * @param limitBytes FallbackLogLimit
 * @param blocks why it is not armed, or does not work; empty if it is and does
 */
public record FallbackStatus(
    String state,
    Instant since,
    Instant answered,
    Long canaryMillis,
    Instant canaryAt,
    Double lagSeconds,
    Long keptBytes,
    Long readBytes,
    long limitBytes,
    List<String> blocks) {
  public FallbackStatus {
    state = Objects.requireNonNullElse(state, "");
    blocks = TaskStatus.listOf(blocks);
  }

  /** Whether it is armed, or carries changes back, and nothing is in its way. */
  public boolean works() {
    return blocks.isEmpty() && (state.equals("armed") || state.equals("begun"));
  }
}
