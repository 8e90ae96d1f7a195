package dev.sluice.sink.progress;

import java.time.Instant;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of the sink. Each is declared here only, with one name: the daemon exposes it beside
 * its own, and a task of Kafka Connect registers it with its worker.
 */
public enum SinkMetric {
  RUNNING("sluice_pipeline_running", Kind.GAUGE, "1 while a pipeline runs.", figures -> 1),
  WINDOWS("sluice_windows_applied_total", Kind.COUNTER, "Windows applied.", SinkFigures::windows),
  CHANGES(
      "sluice_target_rows_total",
      Kind.COUNTER,
      "Row changes applied, before compaction.",
      SinkFigures::changes),
  NET_CHANGES(
      "sluice_target_net_rows_total",
      Kind.COUNTER,
      "Net row changes applied, after compaction.",
      SinkFigures::netChanges),
  CONFLICTS(
      "sluice_target_conflicts_total",
      Kind.COUNTER,
      "Changes that the target rejected.",
      SinkFigures::conflicts),
  SUSPENDED_TABLES(
      "sluice_suspended_tables",
      Kind.GAUGE,
      "Tables whose changes are not applied with the others: suspended, reloaded or catching up.",
      SinkFigures::suspendedTables),
  BACKLOG(
      "sluice_backlog_rows",
      Kind.GAUGE,
      "Row changes that are not applied yet; a daemon estimates those not read yet, a task of"
          + " Kafka Connect leaves them out.",
      SinkFigures::backlogChanges),
  MEMORY(
      "sluice_memory_bytes",
      Kind.GAUGE,
      "What open transactions and windows hold.",
      SinkFigures::memoryBytes),
  PLANNED_SECONDS(
      "sluice_window_planned_seconds",
      Kind.GAUGE,
      "Least time between two windows, if BatchApplyTimeoutMin is auto; 0 if it is not, or if"
          + " nothing is worth waiting for.",
      figures -> figures.plan().seconds()),
  PLANNED_ROWS(
      "sluice_window_planned_rows",
      Kind.GAUGE,
      "Row changes that are read in that time.",
      figures -> figures.plan().changes()),
  SWAP("sluice_swap_bytes", Kind.GAUGE, "Size of the swap files.", SinkFigures::swapBytes),
  LAST_COMMIT(
      "sluice_target_last_commit_timestamp_seconds",
      Kind.GAUGE,
      "When the source committed the last transaction that was applied, as a Unix time; 0 if none"
          + " was since the last start of applying.",
      figures -> figures.lastCommit().map(Instant::toEpochMilli).orElse(0L) / 1000.0);

  /** How a metric's value changes. */
  public enum Kind {
    /** Only grows while the process runs. */
    COUNTER,
    GAUGE
  }

  private final String exposedName;
  private final Kind kind;
  private final String help;
  private final ToDoubleFunction<SinkFigures> value;

  SinkMetric(String exposedName, Kind kind, String help, ToDoubleFunction<SinkFigures> value) {
    this.exposedName = exposedName;
    this.kind = kind;
    this.help = help;
    this.value = value;
  }

  /** The name on the daemon's page and among the worker's metrics. */
  public String exposedName() {
    return exposedName;
  }

  /** Whether the daemon shows it; it tells by its phase whether it applies. */
  public boolean isOfDaemon() {
    return this != RUNNING;
  }

  public Kind kind() {
    return kind;
  }

  /** One plain sentence. */
  public String help() {
    return help;
  }

  public double value(SinkFigures figures) {
    return value.applyAsDouble(figures);
  }
}
