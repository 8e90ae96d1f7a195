package dev.sluice.engine.status;

import java.util.List;

/**
 * The few figures of a status that are recorded every two seconds, without its tables. Immutable.
 *
 * @param backlogChanges in the journal or in memory, and not applied
 * @param memoryBytes held by open transactions and windows
 */
public record StatusFigures(
    TaskStatus.Latency latency,
    TaskStatus.Throughput throughput,
    long backlogChanges,
    long memoryBytes,
    long memoryLimitBytes,
    long swapBytes,
    long swapLimitBytes,
    List<TaskStatus.Guard> guards) {
  public StatusFigures {
    guards = List.copyOf(guards);
  }
}
