package dev.sluice.engine.status;

import dev.sluice.engine.status.DaemonMetric.Sample;
import dev.sluice.engine.status.DaemonMetric.Type;
import dev.sluice.engine.status.DaemonMetric.Value;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The metrics of each table. Only the busiest tables have series, so a task of many tables has no
 * more of them.
 */
final class TableMetrics {
  /** So many tables have series. */
  static final int MOST_TABLES = 100;

  private static final Comparator<TableStatus> BUSIEST_FIRST =
      Comparator.comparingLong(TableMetrics::captured)
          .thenComparingLong(TableStatus::fullLoadRows)
          .reversed()
          .thenComparing(TableStatus::schema)
          .thenComparing(TableStatus::table);

  static final List<DaemonMetric> ALL =
      List.of(
          counter(
              "sluice_table_source_rows_total",
              "Row changes of the table on the source that were applied or skipped, before"
                  + " compaction.",
              TableMetrics::captured),
          counter(
              "sluice_table_target_rows_total",
              "Net row changes applied to the table.",
              table -> table.appliedInserts() + table.appliedUpdates() + table.appliedDeletes()),
          counter(
              "sluice_table_conflicts_total",
              "Changes of the table that the target rejected.",
              TableStatus::conflicts),
          ofBusiest(
              Type.GAUGE,
              "sluice_table_load_rows",
              "Rows of the table that its last load has copied.",
              TableStatus::fullLoadRows));

  private TableMetrics() {}

  private static long captured(TableStatus table) {
    return table.inserts() + table.updates() + table.deletes();
  }

  private static DaemonMetric counter(String name, String help, ToLongFunction<TableStatus> value) {
    return ofBusiest(Type.COUNTER, name, help, value);
  }

  private static DaemonMetric ofBusiest(
      Type type, String name, String help, ToLongFunction<TableStatus> value) {
    return DaemonMetric.of(
        type,
        name,
        help,
        List.of("table"),
        scrape ->
            scrape.status().tables().stream()
                .sorted(BUSIEST_FIRST)
                .limit(MOST_TABLES)
                .<Sample>map(
                    table ->
                        new Value(
                            List.of(table.schema() + "." + table.table()),
                            value.applyAsLong(table)))
                .toList());
  }
}
