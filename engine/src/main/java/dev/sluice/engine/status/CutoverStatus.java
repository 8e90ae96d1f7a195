package dev.sluice.engine.status;

import java.util.List;

/**
 * A running or ended cutover, or the rehearsal of one, on a status page. Immutable.
 *
 * @param result {@code running}, {@code done} or {@code failed}
 * @param secondsToVerdict from the first fence, or from the stop of the writers, to the verdict;
 *     null before it
 * @param timeline what it did, each with its time
 */
public record CutoverStatus(
    String result,
    String step,
    Double secondsToVerdict,
    List<String> report,
    List<String> timeline) {
  public CutoverStatus {
    report = TaskStatus.listOf(report);
    timeline = TaskStatus.listOf(timeline);
  }
}
