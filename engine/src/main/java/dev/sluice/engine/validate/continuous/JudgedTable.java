package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.engine.validate.continuous.PassResult.Verdict;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import java.util.List;
import java.util.Optional;

/**
 * What a pass says of one table. Immutable.
 *
 * @param read whether it was read to its end in this pass
 * @param unproven why it is not proven, whether rows differ or not; empty if it is
 */
record JudgedTable(TableState table, boolean read, Optional<String> unproven) {
  /** Rows that differ, of which the keys are named. */
  private static final int EXAMPLES = 10;

  Verdict verdict() {
    if (table.failed() > 0) {
      return Verdict.NOT_EQUAL;
    }
    return unproven.isEmpty() ? Verdict.EQUAL : Verdict.NOT_PROVEN;
  }

  /** Its rows, at the time when it was read to its end last. */
  long rows() {
    return table.coverage().complete().map(CompletePass::rows).orElse(0L);
  }

  /** For the record of the pass. */
  PassTable forRecord() {
    Verdict verdict = verdict();
    return new PassTable(
        table.table(),
        table.target(),
        table.key(),
        verdict == Verdict.NOT_PROVEN
            ? verdict.words() + ": " + unproven.orElse("")
            : verdict.words(),
        read ? table.coverage().complete().map(CompletePass::rows) : Optional.empty(),
        table.notCompared(),
        table.failures().stream()
            .map(row -> new PassTable.Differing(row.kind().name(), row.key(), row.isConfirmed()))
            .toList());
  }

  /** For who waits for the pass. */
  String line() {
    if (verdict() != Verdict.NOT_EQUAL) {
      return "%s: %s%s"
          .formatted(
              table.table(),
              read ? Counted.of(rows(), "row") + ", " : "",
              unproven.map(why -> "not proven: " + why).orElse("equal"));
    }
    List<RowFailure> confirmed = table.failures().stream().filter(RowFailure::isConfirmed).toList();
    return "%s: %s: %,d differ, %,d missing, %,d extra%s: %s"
        .formatted(
            table.table(),
            Counted.of(rows(), "row"),
            count(confirmed, FailureKind.RECORD_DIFF),
            count(confirmed, FailureKind.MISSING_TARGET),
            count(confirmed, FailureKind.MISSING_SOURCE),
            table.rejected() == 0
                ? ""
                : "; changes of %,d of them were rejected".formatted(table.rejected()),
            confirmed.stream().limit(EXAMPLES).map(RowFailure::key).toList());
  }

  private static long count(List<RowFailure> failures, FailureKind kind) {
    return failures.stream().filter(failure -> failure.kind() == kind).count();
  }
}
