package dev.sluice.engine.status;

import dev.sluice.sink.progress.SinkMetric.Kind;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A metric of the validation with a series for a table. Only the worst tables have one, so a task
 * of many tables has no more. Immutable.
 *
 * @param name with dots
 */
record TableMetric(
    String name, String description, ToDoubleFunction<ValidationStatus.Table> value) {
  /** So many tables have a series. */
  static final int MOST_TABLES = 100;

  static final List<TableMetric> ALL =
      List.of(
          new TableMetric(
              "sluice.validation.table.failed.rows",
              "rows of the table that the validation proved to differ",
              ValidationStatus.Table::failed),
          new TableMetric(
              "sluice.validation.table.touched.rows",
              "rows of the table that were changed and not compared since",
              ValidationStatus.Table::touched),
          new TableMetric(
              "sluice.validation.table.read.timestamp.seconds",
              "when every row of the table was read last, in seconds since 1970; 0 if never",
              table -> table.read() == null ? 0 : table.read().at().toEpochMilli() / 1000.0));

  /** The same without its series, for the list of all metrics. */
  DaemonMetric declared() {
    return new DaemonMetric(name, Kind.GAUGE, description, List.of());
  }

  /** Shows these tables, and no others. */
  void show(MultiGauge gauge, List<ValidationStatus.Table> tables) {
    gauge.register(
        tables.stream()
            .map(
                table ->
                    Row.of(
                        Tags.of("table", table.schema() + "." + table.table()),
                        value.applyAsDouble(table)))
            .toList(),
        true);
  }
}
