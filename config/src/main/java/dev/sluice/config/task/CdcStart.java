package dev.sluice.config.task;

import java.time.Instant;
import java.util.Optional;

/**
 * Where a task without a full load starts in the source's log: DMS's CdcStartPosition and
 * CdcStartTime. Immutable; {@link #toString} is the form in which it is written.
 */
public sealed interface CdcStart {

  /** Behind a position, in the source's form. */
  record AtPosition(String position) implements CdcStart {
    @Override
    public String toString() {
      return position;
    }
  }

  /** In the order of the log, with the first transaction that was committed at a time or later. */
  record AtCommitTime(Instant time) implements CdcStart {
    @Override
    public String toString() {
      return CdcStop.COMMIT_TIME + time;
    }
  }

  /** What is expected, beside a position of the source. */
  String FORM = CdcStop.COMMIT_TIME + "2026-01-31T12:00:00Z";

  /**
   * Reads the form of the task file. A position is not tested.
   *
   * @return empty if it has the beginning of a time, and is none
   */
  static Optional<CdcStart> parse(String text) {
    return text.startsWith(CdcStop.COMMIT_TIME)
        ? LogTime.parse(text.substring(CdcStop.COMMIT_TIME.length())).map(AtCommitTime::new)
        : Optional.of(new AtPosition(text));
  }
}
