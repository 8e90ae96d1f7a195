package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.counter;
import static dev.sluice.engine.status.DaemonMetric.gauge;

import dev.sluice.engine.status.DaemonMetric.Sample;
import dev.sluice.engine.status.DaemonMetric.Type;
import dev.sluice.engine.status.DaemonMetric.Value;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The metrics of the validation; 0 without one. Only the worst tables have series. */
final class ValidationMetrics {
  static final List<DaemonMetric> ALL =
      List.of(
          of(
                  "sluice_validation_failed_rows",
                  "Rows that the validation proved to differ.",
                  ValidationStatus::failed)
              .likeDms("ValidationFailedOverallCount"),
          of(
              "sluice_validation_rejected_rows",
              "Rows that differ and of which the target rejected a change.",
              ValidationStatus::rejected),
          of(
                  "sluice_validation_pending_rows",
                  "Rows of which the validation does not know yet whether they differ.",
                  ValidationStatus::pending)
              .likeDms("ValidationPendingOverallCount"),
          of(
                  "sluice_validation_suspended_rows",
                  "Rows that change too often to be compared.",
                  ValidationStatus::suspended)
              .likeDms("ValidationSuspendedOverallCount"),
          of(
              "sluice_validation_touched_rows",
              "Rows that were changed and not compared since.",
              ValidationStatus::touched),
          of(
              "sluice_validation_proven_tables",
              "Tables whose every row is proven equal.",
              ValidationStatus::provenTables),
          of(
              "sluice_validation_tables",
              "Tables that are validated.",
              status -> status.tables().size()),
          counter(
              "sluice_validation_rows_total",
              "Rows that the validation has compared.",
              scrape -> scrape.measured().comparedRows()),
          counter(
              "sluice_validation_sessions_total",
              "Sessions of the validation that compared something.",
              scrape -> scrape.measured().comparisons()),
          ofWorst(
              "sluice_validation_table_failed_rows",
              "Rows of the table that the validation proved to differ.",
              ValidationStatus.Table::failed),
          ofWorst(
              "sluice_validation_table_touched_rows",
              "Rows of the table that were changed and not compared since.",
              ValidationStatus.Table::touched),
          ofWorst(
              "sluice_validation_table_read_timestamp_seconds",
              "When every row of the table was read last, as a Unix time; 0 if never.",
              table -> table.read() == null ? 0 : table.read().at().toEpochMilli() / 1000.0));

  private ValidationMetrics() {}

  private static DaemonMetric of(
      String name, String help, ToDoubleFunction<ValidationStatus> value) {
    return gauge(
        name,
        help,
        scrape ->
            scrape.status().validation() == null
                ? 0
                : value.applyAsDouble(scrape.status().validation()));
  }

  private static DaemonMetric ofWorst(
      String name, String help, ToDoubleFunction<ValidationStatus.Table> value) {
    return DaemonMetric.of(
        Type.GAUGE,
        name,
        help,
        List.of("table"),
        scrape ->
            worst(scrape).stream()
                .<Sample>map(
                    table ->
                        new Value(
                            List.of(table.schema() + "." + table.table()),
                            value.applyAsDouble(table)))
                .toList());
  }

  private static List<ValidationStatus.Table> worst(Scrape scrape) {
    ValidationStatus validation = scrape.status().validation();
    return validation == null ? List.of() : validation.worst(TableMetrics.MOST_TABLES);
  }
}
