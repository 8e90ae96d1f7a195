package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.TableColumn;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The source may have another expression than when the table was made, and the target prints its own
 * in another form: whether they are still alike is not known. So a reload fills these columns with
 * the source's values. The table itself stays, with its grants, views and indexes.
 */
/** Columns of the source that a target table computes by itself, when it is loaded again. Pure. */
final class GeneratedOnTarget {
  private static final Logger LOG = LoggerFactory.getLogger(GeneratedOnTarget.class);

  private GeneratedOnTarget() {}

  /**
   * @param columns those of the target's table
   * @param computed those that the source computes
   */
  static List<String> of(List<TableColumn> columns, Set<String> computed) {
    return columns.stream()
        .filter(column -> column.generated() && computed.contains(column.name()))
        .map(TableColumn::name)
        .toList();
  }

  /** The columns as they are once the target computes none that the source has. */
  static Set<TableColumn> asOrdinary(List<TableColumn> columns, Set<String> computed) {
    List<String> computedThere = of(columns, computed);
    return columns.stream()
        .map(
            column ->
                computedThere.contains(column.name())
                    ? new TableColumn(column.name(), column.type(), false)
                    : column)
        .collect(Collectors.toSet());
  }

  /** Of tables that the task does not make, and so does not alter. */
  static List<Problem> problems(Map<TableId, List<String>> computed) {
    return computed.entrySet().stream()
        .map(
            table ->
                new Problem(
                    "table " + table.getKey(),
                    "computes by itself: " + String.join(", ", table.getValue()),
                    "columns that the load fills, since the source's expressions may have changed",
                    "Make them ordinary columns, on PostgreSQL with ALTER TABLE … ALTER COLUMN …"
                        + " DROP EXPRESSION, and reload the table again"))
        .toList();
  }

  static void log(Map<TableId, List<String>> computed) {
    computed.forEach(
        (table, columns) ->
            LOG.warn(
                "target table {}: the source's expressions of {} may have changed, so these become"
                    + " ordinary columns with the source's values",
                table,
                String.join(", ", columns)));
  }
}
