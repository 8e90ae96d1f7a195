package dev.sluice.bench.run;

import java.time.Duration;

/**
 * One run: how long it took and what it cost. Immutable.
 *
 * @param changes row changes applied
 * @param wall from the start to the last change visible on the target
 * @param cpuSeconds of the processes at work in that time
 * @param targetCpuSeconds those of them that are the target's server's
 */
public record Measurement(long changes, Duration wall, double cpuSeconds, double targetCpuSeconds) {

  public double changesPerSecond() {
    return changes / (wall.toNanos() / 1e9);
  }

  public double cpuSecondsPerMillion() {
    return cpuSeconds * 1e6 / changes;
  }
}
