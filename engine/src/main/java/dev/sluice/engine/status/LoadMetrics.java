package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.counter;
import static dev.sluice.engine.status.DaemonMetric.gauge;
import static dev.sluice.engine.status.DaemonMetric.orZero;

import java.util.List;
import java.util.stream.Stream;

/** The metrics of the full load. */
final class LoadMetrics {
  static final List<DaemonMetric> ALL =
      List.of(
          counter(
                  "sluice_load_rows_total",
                  "Rows copied by full loads; another attempt counts again what it keeps.",
                  scrape -> scrape.measured().loaded().rows())
              .likeDms("FullLoadThroughputRowsTarget"),
          counter(
                  "sluice_load_bytes_total",
                  "Bytes of the rows copied by full loads, as sent over the network.",
                  scrape -> scrape.measured().loaded().bytes())
              .likeDms("FullLoadThroughputBandwidthTarget"),
          gauge(
              "sluice_load_tables",
              "Tables of the full load; 0 without one.",
              scrape -> tables(scrape).count()),
          gauge(
              "sluice_load_tables_done",
              "Tables of the full load that are copied.",
              scrape -> tables(scrape).filter(table -> table.state().equals("done")).count()),
          gauge(
              "sluice_load_progress_ratio",
              "The part of the full load that is done, by the tables' size on the source's disk; 0"
                  + " without one.",
              scrape ->
                  scrape.status().fullLoad() == null
                      ? 0
                      : scrape.status().fullLoad().percent() / 100),
          gauge(
              "sluice_load_remaining_seconds",
              "Time until the full load is done at the present rate; 0 if unknown.",
              scrape ->
                  scrape.status().fullLoad() == null
                      ? 0
                      : orZero(scrape.status().fullLoad().secondsLeft())));

  private LoadMetrics() {}

  private static Stream<LoadStatus> tables(Scrape scrape) {
    return scrape.status().tables().stream()
        .map(TableStatus::fullLoad)
        .filter(load -> load != null);
  }
}
