package dev.sluice.engine.cutover;

import dev.sluice.engine.status.CutoverStatus;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a cutover stands, and what it did when. Written by its thread, read by any. */
final class CutoverProgress {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverProgress.class);

  private final Clock clock;
  private final List<String> timeline = new ArrayList<>();

  private volatile CutoverStatus status =
      new CutoverStatus("running", "waiting for the replication", null, List.of(), List.of());

  CutoverProgress(Clock clock) {
    this.clock = clock;
  }

  /** With all that was reached until now. */
  CutoverStatus status() {
    CutoverStatus now = status;
    return new CutoverStatus(
        now.result(), now.step(), now.secondsToVerdict(), now.report(), timeline());
  }

  /** A step begins. */
  void step(String text) {
    reached(text);
    show("running", text, null, List.of());
  }

  /** Something has happened that is worth its time in the report. */
  synchronized void reached(String text) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    LOG.info("cutover: {}", text);
    timeline.add(now + " " + text);
  }

  /** What an earlier daemon did comes before. */
  synchronized void goOn(List<String> earlier) {
    timeline.addAll(0, earlier);
  }

  synchronized List<String> timeline() {
    return List.copyOf(timeline);
  }

  /** It goes on at a later request or start. */
  void stuck(String text) {
    show("running", text, null, List.of());
  }

  void failed(String reason) {
    show("failed", reason, null, List.of());
  }

  /** The target can be used. */
  void done(String step, Double seconds, List<String> report) {
    show("done", step, seconds, report);
  }

  private void show(String result, String step, Double seconds, List<String> report) {
    status = new CutoverStatus(result, step, seconds, report, timeline());
  }
}
