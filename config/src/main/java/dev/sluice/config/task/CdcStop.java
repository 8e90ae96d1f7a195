package dev.sluice.config.task;

import java.time.Instant;
import java.util.Optional;

/**
 * Where a task stops by itself, with a checkpoint: DMS's CdcStopPosition. Immutable; {@link
 * #toString} is the form in which it is written.
 */
public sealed interface CdcStop {

  /** Behind the last transaction that is not after a position, in the source's form. */
  record AtPosition(String position) implements CdcStop {
    @Override
    public String toString() {
      return position;
    }
  }

  /** Before the first transaction that was committed after a time. */
  record AtCommitTime(Instant time) implements CdcStop {
    @Override
    public String toString() {
      return COMMIT_TIME + time;
    }
  }

  /** When the source's clock has reached a time, after what was committed until then. */
  record AtServerTime(Instant time) implements CdcStop {
    @Override
    public String toString() {
      return SERVER_TIME + time;
    }
  }

  /** Behind what is committed when the task begins to replicate. */
  record Now() implements CdcStop {
    @Override
    public String toString() {
      return NOW;
    }
  }

  /** The word for {@link Now}, which only a command takes. */
  String NOW = "now";

  /** What DMS writes before a time of a commit. */
  String COMMIT_TIME = "commit_time:";

  /** What DMS writes before a time of the source's clock. */
  String SERVER_TIME = "server_time:";

  /** What is expected, beside a position of the source. */
  String FORMS = COMMIT_TIME + "2026-01-31T12:00:00Z, " + SERVER_TIME + "2026-01-31T12:00:00Z";

  /**
   * What is expected instead of a text that is none of the forms.
   *
   * @param type of the source
   */
  static String expected(String text, Optional<SourceType> type) {
    return type.flatMap(known -> known.problemOfStop(text))
            .map(SourceType.WrongPosition::expected)
            .orElse("a position of the source")
        + ", or one of "
        + FORMS;
  }

  /**
   * Reads the form of the task file.
   *
   * @param type of the source, which knows its positions; empty: any text is one
   * @return empty if it is none of the forms
   */
  static Optional<CdcStop> parse(String text, Optional<SourceType> type) {
    if (text.startsWith(COMMIT_TIME)) {
      return LogTime.parse(text.substring(COMMIT_TIME.length())).map(AtCommitTime::new);
    }
    if (text.startsWith(SERVER_TIME)) {
      return LogTime.parse(text.substring(SERVER_TIME.length())).map(AtServerTime::new);
    }
    return type.flatMap(known -> known.problemOfStop(text)).isPresent()
        ? Optional.empty()
        : Optional.of(new AtPosition(text));
  }
}
