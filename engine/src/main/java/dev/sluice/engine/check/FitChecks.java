package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.ColumnFit.Verdict;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether the columns of existing tables keep the source's values, on a target with its own
 * types. Immutable.
 *
 * @param problems columns that would not keep ordinary values
 * @param notes columns with possible values that would stop the task
 */
record FitChecks(List<Problem> problems, List<String> notes) {

  FitChecks {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
  }

  /**
   * @throws dev.sluice.config.document.SluiceException if the target does not answer
   */
  static FitChecks of(ColumnFit fit, TargetServer target, List<TargetChecks.Expected> expected) {
    List<Problem> problems = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    try (TargetConnection connection = target.borrow()) {
      for (TargetChecks.Expected table : expected) {
        Optional<TargetTable> found =
            connection.dialect().catalog().table(connection.jdbc(), table.target());
        if (found.isEmpty()) {
          continue;
        }
        for (Column column : table.columns()) {
          found
              .get()
              .column(column.name())
              .filter(there -> !there.generated())
              .ifPresent(
                  there ->
                      judge(
                          fit.of(column, found.get(), there),
                          "target table %s, column %s".formatted(table.target(), column.name()),
                          "is %s, but %s on the source".formatted(there.type(), column.type()),
                          problems,
                          notes));
        }
      }
    } catch (SQLException e) {
      throw target.errors().classify("compare the columns' types", e);
    }
    return new FitChecks(problems, notes);
  }

  private static void judge(
      Verdict verdict, String thing, String found, List<Problem> problems, List<String> notes) {
    if (verdict instanceof Verdict.Unfit unfit) {
      problems.add(
          new Problem(
              thing,
              found + ": " + unfit.why(),
              "a type that keeps every ordinary value unchanged",
              unfit.fix()));
    } else if (verdict instanceof Verdict.Except except) {
      notes.add(
          "%s %s: not kept are %s; such a value is refused"
              .formatted(thing, found, except.values()));
    }
  }
}
