package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.counter;
import static dev.sluice.engine.status.DaemonMetric.gauge;
import static dev.sluice.engine.status.DaemonMetric.orZero;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The metrics of the capture and of the journal. */
final class SourceMetrics {
  static final List<DaemonMetric> ALL =
      List.of(
          counter(
                  "sluice_source_rows_total",
                  "Row changes written to the journal.",
                  scrape -> scrape.status().source().changes())
              .likeDms("CDCThroughputRowsSource"),
          counter(
              "sluice_source_transactions_total",
              "Transactions written to the journal, with those of fences and of the validation.",
              scrape -> scrape.status().source().transactions()),
          counter(
              "sluice_journal_written_bytes_total",
              "Bytes written to the journal.",
              scrape -> scrape.measured().journalBytes()),
          gauge(
              "sluice_journal_bytes",
              "Size of the journal on the broker's disk.",
              scrape -> orZero(scrape.status().journal().bytes())),
          gauge(
                  "sluice_latency_source_seconds",
                  "How far the journal is behind the source.",
                  scrape -> orZero(scrape.status().latency().sourceSeconds()))
              .likeDms("CDCLatencySource"),
          gauge(
              "sluice_source_last_commit_timestamp_seconds",
              "When the source committed the last transaction in the journal, as a Unix time; 0"
                  + " before the first.",
              scrape -> time(scrape.measured().sourceCommit())),
          gauge(
              "sluice_source_retained_bytes",
              "Log that the source keeps for the task.",
              scrape -> orZero(scrape.status().source().retainedBytes())),
          counter(
              "sluice_source_ignored_messages_total",
              "Messages under the task's names that others wrote into the source's log.",
              scrape -> scrape.status().source().ignoredMessages()),
          gauge(
              "sluice_source_changes_after_cutover",
              "Row changes on the source after the cutover, which the target does not get.",
              scrape ->
                  scrape.status().sourceWatch() == null
                      ? 0
                      : scrape.status().sourceWatch().changes()));

  private SourceMetrics() {}

  /** As a Unix time in seconds; 0 if there is none. */
  static double time(Optional<Instant> at) {
    return at.map(instant -> instant.toEpochMilli() / 1000.0).orElse(0.0);
  }
}
