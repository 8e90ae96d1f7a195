package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Checks columns that a change made plain ones on the source, if that change was not replicated. If
 * the target still generates such a column, it computes its own values, and the source's would be
 * lost. Stateless.
 */
final class EndedGeneration {
  private EndedGeneration() {}

  /**
   * Returns a problem for each such column.
   *
   * @param change of a table that was there before
   * @param target the name of the table there
   */
  static List<Problem> problems(
      TargetConnection connection, DefinitionChange change, TableId target) throws SQLException {
    List<String> plainNow =
        change.after().columns().stream()
            .filter(column -> !column.filling().generated() && !wasPlain(change, column))
            .map(ColumnDefinition::name)
            .toList();
    if (plainNow.isEmpty()) {
      return List.of();
    }
    Optional<TargetTable> table = connection.dialect().catalog().table(connection.jdbc(), target);
    return table.map(TargetTable::columns).orElse(List.of()).stream()
        .filter(column -> column.generated() && plainNow.contains(column.name()))
        .map(column -> problem(target, column.name()))
        .toList();
  }

  private static Problem problem(TableId target, String column) {
    return new Problem(
        "target table " + target,
        "column %s is generated, and is a plain one on the source now".formatted(column),
        "a plain column, which HandleSourceTableAltered: false leaves to you",
        "Make it a plain one on the target (in PostgreSQL: ALTER TABLE %s ALTER COLUMN %s DROP EXPRESSION), then load the table again"
            .formatted(target.quoted(), TableId.quote(column)));
  }

  private static boolean wasPlain(DefinitionChange change, ColumnDefinition column) {
    return change
        .before()
        .column(column.number())
        .filter(before -> !before.filling().generated())
        .isPresent();
  }
}
