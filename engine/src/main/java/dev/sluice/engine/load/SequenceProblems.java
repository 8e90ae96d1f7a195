package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import java.util.Optional;

/**
 * What keeps a sequence of the target from being set to the source's value. Immutable.
 *
 * @param sequences of the target's dialect
 */
record SequenceProblems(TargetSequences sequences) {

  /**
   * The problem of a sequence; empty if it can be set.
   *
   * @param found on the target
   * @param expected its name there
   */
  Optional<Problem> of(SequenceState state, Optional<TargetSequence> found, TableId expected) {
    if (found.isEmpty()) {
      return Optional.of(missing(state, expected));
    }
    TargetSequence target = found.get();
    if (!target.settable()) {
      return Optional.of(
          new Problem(
              "target sequence " + target.name(),
              "may not be set by the task's user",
              "SELECT and UPDATE on it, and USAGE on its schema",
              sequences.fixOfRight(target)));
    }
    if (!sequences.takes(target, state)) {
      return Optional.of(
          new Problem(
              "target sequence " + target.name(),
              "takes values from %d to %d, and the source's stands at %d%s"
                  .formatted(
                      target.form().min(),
                      target.form().max(),
                      state.lastValue(),
                      state.called() ? ", which it has given out" : ""),
              "the bounds of source sequence " + state.sequence(),
              sequences.fixOfBounds(target)));
    }
    return Optional.empty();
  }

  private Problem missing(SequenceState state, TableId expected) {
    return new Problem(
        "target sequence " + expected,
        "is not there",
        state
            .use()
            .map(use -> "a sequence for " + use.table() + "." + use.column() + ", as on the source")
            .orElse("source sequence " + state.sequence() + ", which no column owns"),
        sequences.fixOfMissing(state, expected));
  }

  /** That the source's value cannot be read. */
  static Problem unreadable(TableId sequence, SourceReader source) {
    return new Problem(
        "source sequence " + sequence,
        "may not be read by the task's user at " + source,
        "SELECT on it, and USAGE on its schema",
        "Run as its owner: GRANT SELECT ON SEQUENCE %s TO the source's user;"
            .formatted(sequence.quoted()));
  }
}
