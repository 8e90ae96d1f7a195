package dev.sluice.engine.validate.only;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.only.OnlyResult.Verdict;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.PartSize;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.engine.validate.verdict.TableVerdict;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The state of one table in the pass: how far it was read, and which rows differ. First every row
 * is read, then rows that differ are looked up once more. Owned by the pass's thread.
 */
final class OnlyTable {
  /** After this many successive sessions without a result the table is given up. */
  private static final int MOST_FRUITLESS = 30;

  private static final int EXAMPLES = 10;

  private final TableId table;
  private final TableId target;
  private final List<String> key;
  private final Map<String, RowFailure> failures = new TreeMap<>();
  private final Set<RowKey> toLookUp = new LinkedHashSet<>();
  private TableCoverage coverage;
  private PartSize parts = PartSize.WHOLE;
  private List<String> notCompared = List.of();
  private Optional<String> problem;
  private int fruitless;
  private int voided;
  private boolean open;
  private boolean looksUp;

  /**
   * @param target its name on the target
   * @param key its key's columns on the source; empty if it has none
   * @param exempt why it is not compared at all; empty if it is
   */
  OnlyTable(TableId table, TableId target, List<String> key, Optional<String> exempt) {
    this.table = table;
    this.target = target;
    this.key = List.copyOf(key);
    this.coverage = TableCoverage.none(table, "");
    this.problem = exempt;
    this.open = exempt.isEmpty();
  }

  TableId table() {
    return table;
  }

  /** Whether there is something to read. */
  boolean isOpen() {
    return open;
  }

  /** Whether all rows were read, and only those that differ are looked up again. */
  boolean looksUp() {
    return looksUp;
  }

  /** The number of successive sessions without a result. */
  int fruitless() {
    return fruitless;
  }

  int failures() {
    return failures.size();
  }

  /** The next part to read, or the rows to look up. */
  ComparisonPlan plan(int mostKeys) {
    if (!toLookUp.isEmpty()) {
      return ComparisonPlan.touched(table, key, toLookUp.stream().limit(mostKeys).toList());
    }
    Optional<RowKey> after =
        key.isEmpty()
            ? Optional.empty()
            : coverage.running().map(pass -> RowText.mark(pass.next()));
    return new ComparisonPlan(table, key, List.of(KeyRange.from(after)), List.of())
        .withParts(parts);
  }

  /** Stops reading it. */
  void giveUp(String why) {
    open = false;
    problem = Optional.of(why);
  }

  /** Opens the table once more if rows of it differ. */
  void checkAgain() {
    open = !failures.isEmpty();
    looksUp = true;
    fruitless = 0;
    if (!key.isEmpty()) {
      failures.keySet().forEach(text -> toLookUp.add(RowText.key(key, text)));
    }
  }

  /** The meaning of a session's findings; {@link #take} stores it. */
  Outcome outcome(TableFindings found, Proof proof, Instant now) {
    return new TableVerdict(target, key, coverage, List.copyOf(failures.values()))
        .of(found, proof, now);
  }

  /**
   * Takes the result of a session.
   *
   * @param planned what the session should compare
   * @param most differing rows; with more the table is not read further
   * @return whether the session had a result
   */
  boolean take(TableFindings found, Outcome outcome, ComparisonPlan planned, int most) {
    boolean byKey = !planned.touched().isEmpty();
    boolean moved =
        found.end() != End.VOID
            && (byKey ? lookedUp(found, planned) : !outcome.now().equals(coverage));
    boolean completed = !outcome.now().complete().equals(coverage.complete());
    int before = failures.size();
    coverage = outcome.now();
    outcome.equal().forEach(failures::remove);
    outcome.found().forEach(failure -> failures.put(failure.key(), failure));
    moved |= failures.size() != before;
    if (!found.columns().isEmpty()) {
      notCompared =
          found.notCompared().stream().map(column -> column.column() + " " + column.why()).toList();
    }
    if (byKey) {
      open = !toLookUp.isEmpty();
    } else if (completed) {
      open = false;
    } else if (failures.size() >= most) {
      giveUp(
          "%s: TableFailureMaxCount is %d"
              .formatted(Counted.of(failures.size(), "difference"), most));
    }
    count(moved, found.end(), found.why());
    return moved;
  }

  /**
   * Chooses the size of the parts that are read next.
   *
   * @param moved whether the session had a result
   * @param first whether the session began with the table
   */
  void size(TableFindings found, boolean moved, boolean first) {
    parts = parts.after(found, moved, first);
  }

  private boolean lookedUp(TableFindings found, ComparisonPlan planned) {
    List<RowKey> done = new ArrayList<>();
    if (found.end() == End.DONE) {
      done.addAll(planned.touched());
    } else {
      done.addAll(found.equalKeys());
      found.differences().stream().map(RowDifference::key).forEach(done::add);
    }
    return toLookUp.removeAll(done);
  }

  /** Notes that a session had no time for the table. */
  void hadNoTime() {
    count(false, End.OUT_OF_TIME, Optional.of("sessions had no time for it"));
  }

  private void count(boolean moved, End end, Optional<String> why) {
    fruitless = moved ? 0 : fruitless + 1;
    voided += end == End.VOID ? 1 : 0;
    if (open && (fruitless >= MOST_FRUITLESS || voided >= MOST_FRUITLESS)) {
      giveUp(
          end == End.OUT_OF_TIME
              ? why.orElse("")
                  + " again and again: it cannot be read in parts. Raise ValidationSnapshotAge"
              : why.orElse("it could not be read"));
    }
  }

  long rows() {
    return coverage.complete().map(CompletePass::rows).orElse(0L);
  }

  Verdict verdict() {
    if (failures.values().stream().anyMatch(RowFailure::isConfirmed)) {
      return Verdict.NOT_EQUAL;
    }
    return reason().isPresent() ? Verdict.NOT_PROVEN : Verdict.EQUAL;
  }

  /** What is not proven, apart from rows that differ. */
  private Optional<String> reason() {
    long unconfirmed = failures.values().stream().filter(row -> !row.isConfirmed()).count();
    String why = looksUp ? " changed between two checks" : " to be looked up again";
    return problem.or(
        () ->
            unconfirmed == 0
                ? Optional.empty()
                : Optional.of(Counted.of(unconfirmed, "row") + why));
  }

  /** For messages. */
  String line() {
    String read =
        coverage.complete().isPresent() ? Counted.of(rows(), "row") : "not read to its end";
    String without = notCompared.isEmpty() ? "" : "; not compared: " + notCompared;
    if (verdict() == Verdict.NOT_EQUAL) {
      return "%s: %s: %,d differ, %,d missing, %,d extra%s: %s%s"
          .formatted(
              table,
              read,
              count(FailureKind.RECORD_DIFF),
              count(FailureKind.MISSING_TARGET),
              count(FailureKind.MISSING_SOURCE),
              reason().map(why -> " (" + why + ")").orElse(""),
              failures.values().stream().limit(EXAMPLES).map(RowFailure::key).toList(),
              without);
    }
    return "%s: %s, %s%s"
        .formatted(table, read, reason().map(why -> "not proven: " + why).orElse("equal"), without);
  }

  /** For the record. */
  PassTable recorded() {
    return new PassTable(
        table,
        target,
        key,
        verdict().words() + reason().map(why -> ": " + why).orElse(""),
        coverage.complete().map(CompletePass::rows),
        notCompared,
        failures.values().stream()
            .map(row -> new PassTable.Differing(row.kind().name(), row.key(), row.isConfirmed()))
            .toList());
  }

  private long count(FailureKind kind) {
    return failures.values().stream().filter(failure -> failure.kind() == kind).count();
  }
}
