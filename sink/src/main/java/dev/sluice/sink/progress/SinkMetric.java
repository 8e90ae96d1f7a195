package dev.sluice.sink.progress;

import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * The metrics of the sink. Each is declared here only: the daemon shows those with a name of the
 * daemon to Prometheus, beside its own, and a task of Kafka Connect registers those with a name of
 * Connect with its worker.
 */
public enum SinkMetric {
  RUNNING(null, "running", Kind.GAUGE, "1 while a pipeline runs", figures -> 1),
  WINDOWS(
      "sluice.windows.applied",
      "windows-applied",
      Kind.COUNTER,
      "windows applied",
      SinkFigures::windows),
  CHANGES(
      "sluice.target.changes",
      "changes-applied",
      Kind.COUNTER,
      "row changes applied, before compaction",
      SinkFigures::changes),
  NET_CHANGES(
      "sluice.target.net.changes",
      "net-changes-applied",
      Kind.COUNTER,
      "net changes applied, after compaction",
      SinkFigures::netChanges),
  CONFLICTS(
      "sluice.target.conflicts",
      "conflicts",
      Kind.COUNTER,
      "changes that the target rejected",
      SinkFigures::conflicts),
  SUSPENDED_TABLES(
      "sluice.suspended.tables",
      "suspended-tables",
      Kind.GAUGE,
      "tables whose changes are not applied with the others",
      SinkFigures::suspendedTables),
  BACKLOG(
      "sluice.backlog.changes",
      "backlog-changes",
      Kind.GAUGE,
      "changes that are not applied yet",
      SinkFigures::backlogChanges),
  MEMORY(
      "sluice.memory.bytes",
      "memory-bytes",
      Kind.GAUGE,
      "held by open transactions and windows",
      SinkFigures::memoryBytes),
  SWAP(
      "sluice.swap.bytes",
      "swap-bytes",
      Kind.GAUGE,
      "size of the swap files",
      SinkFigures::swapBytes),
  LAST_COMMIT(
      null,
      "last-commit-ms",
      Kind.GAUGE,
      "when the source committed what was applied last, in milliseconds since 1970",
      SinkFigures::lastCommitMillis);

  /** How a metric's value changes. */
  public enum Kind {
    /** Only grows while the process runs. */
    COUNTER,
    GAUGE
  }

  private final String daemonName;
  private final String connectName;
  private final Kind kind;
  private final String description;
  private final ToLongFunction<SinkFigures> value;

  SinkMetric(
      String daemonName,
      String connectName,
      Kind kind,
      String description,
      ToLongFunction<SinkFigures> value) {
    this.daemonName = daemonName;
    this.connectName = connectName;
    this.kind = kind;
    this.description = description;
    this.value = value;
  }

  /** The name with dots; empty if the daemon does not show it. */
  public Optional<String> daemonName() {
    return Optional.ofNullable(daemonName);
  }

  /** The name among the worker's metrics; empty if Connect does not show it. */
  public Optional<String> connectName() {
    return Optional.ofNullable(connectName);
  }

  public Kind kind() {
    return kind;
  }

  public String description() {
    return description;
  }

  public long value(SinkFigures figures) {
    return value.applyAsLong(figures);
  }
}
