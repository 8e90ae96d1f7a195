package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Rows of a table that are to be repaired: after a session, or since somebody asks for it. Pure.
 *
 * @param rows which of the listed rows
 * @param deleteExtra whether rows that only the target has are deleted
 */
record DueRepair(TableId table, Predicate<RowFailure> rows, boolean deleteExtra) {
  /** With this many listed rows of a table, missing ones are inserted, and all are looked up. */
  static final int MANY = 20_000;

  /**
   * Repairs by the setting ValidationRepair: of tables with rows that are proven to differ.
   *
   * @param held whether a row that was not repaired must not be tried again yet
   */
  static List<DueRepair> byPolicy(
      RepairPolicy policy, Collection<TableState> tables, Predicate<RowFailure> held) {
    Predicate<RowFailure> due = held.negate();
    boolean deleteExtra = policy == RepairPolicy.REPAIR_AND_DELETE_EXTRA;
    return policy == RepairPolicy.NONE
        ? List.of()
        : tables.stream()
            .filter(table -> hasAny(table, due.and(RowFailure::isConfirmed), deleteExtra))
            .map(table -> new DueRepair(table.table(), due, deleteExtra))
            .toList();
  }

  /**
   * Repairs while a pass runs: all rows that were seen to differ, as soon as they fill a round or
   * the table was read completely. Before missing rows are inserted, the complete table is searched
   * for them, so they wait until the table was read, or until there are many.
   *
   * @param scope of the repairs
   * @param pass empty between two passes
   * @param left whether a row that was not repaired must not be tried again yet
   */
  static List<DueRepair> atOnce(
      PassScope scope,
      Optional<ValidationPass> pass,
      Collection<TableState> tables,
      Predicate<RowFailure> left) {
    List<DueRepair> due = new ArrayList<>();
    for (TableState table : tables) {
      if (!scope.has(table.table())) {
        continue;
      }
      boolean reading = pass.filter(running -> running.needs(table)).isPresent();
      long seen = table.failures().stream().filter(DueRepair::wasSeen).count();
      boolean all = !reading || seen >= MANY;
      Predicate<RowFailure> rows =
          row ->
              wasSeen(row) && !left.test(row) && (all || row.kind() != FailureKind.MISSING_TARGET);
      long now =
          table.failures().stream()
              .filter(rows)
              .filter(row -> scope.deletesExtra() || row.kind() != FailureKind.MISSING_SOURCE)
              .count();
      if (now >= (all ? 1 : RepairRounds.ROWS)) {
        due.add(new DueRepair(table.table(), rows, scope.deletesExtra()));
      }
    }
    return due;
  }

  /** The same, and also of rows that only the target has. */
  DueRepair alsoExtra() {
    return new DueRepair(table, rows, true);
  }

  /** The rows of the table that are to be repaired, in the order in which they are tried. */
  List<RowFailure> of(TableState state) {
    return state.failures().stream()
        .filter(DueRepair::wasSeen)
        .filter(rows)
        .filter(row -> deleteExtra || row.kind() != FailureKind.MISSING_SOURCE)
        // The complete table is searched for missing rows.
        .sorted(Comparator.comparing(row -> row.kind() == FailureKind.MISSING_TARGET))
        .toList();
  }

  /** False for repaired rows, which wait for a session that proves them equal. */
  private static boolean wasSeen(RowFailure row) {
    return row.sessions() > 0;
  }

  private static boolean hasAny(TableState table, Predicate<RowFailure> rows, boolean deleteExtra) {
    return table.failures().stream()
        .filter(rows)
        .anyMatch(row -> deleteExtra || row.kind() != FailureKind.MISSING_SOURCE);
  }
}
