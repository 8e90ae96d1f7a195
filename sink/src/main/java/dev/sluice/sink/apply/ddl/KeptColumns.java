package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions.Filled;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Checks target columns that were dropped on the source. New rows come without them, so they must
 * stay NULL: a default would add values that the source never had. Stateless.
 */
public final class KeptColumns {
  private KeptColumns() {}

  /**
   * Returns a problem for each column that the target would fill by itself; mostly none.
   *
   * @param gone the columns, by their names on the target
   */
  public static List<Problem> filled(
      TargetConnection connection, TableId target, Collection<String> gone) throws SQLException {
    if (gone.isEmpty()) {
      return List.of();
    }
    List<Problem> problems = new ArrayList<>();
    connection
        .dialect()
        .definitions(connection)
        .filled(target, List.copyOf(gone))
        .forEach((column, filled) -> problems.add(problem(target, column, filled)));
    return problems;
  }

  private static Problem problem(TableId target, String column, Filled filled) {
    return new Problem(
        "target table " + target,
        "column %s is gone from the source table, and the target would fill it by itself in new rows: %s"
            .formatted(column, filled.by()),
        "a column that stays NULL in new rows",
        "Run on the target, then sluice resume if the table is suspended: %s; or drop the column there"
            .formatted(filled.fix()));
  }
}
