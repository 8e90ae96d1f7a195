package dev.sluice.engine.status;

import dev.sluice.sink.progress.SinkFigures;
import dev.sluice.sink.progress.SinkMetric;
import dev.sluice.sink.progress.SinkMetric.Kind;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A metric of the daemon. The list has those of the sink, from {@link SinkMetric}, and those that
 * only a daemon has, which are declared here. Immutable.
 *
 * @param name with dots
 * @param series one for each value of its label; a single one without a label; none here if each
 *     table has one
 */
public record DaemonMetric(String name, Kind kind, String description, List<Series> series) {

  /**
   * @param tags empty for the only series of a metric
   */
  record Series(Tags tags, ToDoubleFunction<TaskStatus> value) {
    /** The only one of a metric. */
    Series(ToDoubleFunction<TaskStatus> value) {
      this(Tags.empty(), value);
    }

    Series(String label, String labelValue, ToDoubleFunction<TaskStatus> value) {
      this(Tags.of(label, labelValue), value);
    }
  }

  private static final List<DaemonMetric> OWN =
      List.of(
          gauge("sluice.up", "1 unless the task failed", s -> s.phase().equals("failed") ? 0 : 1),
          gauge(
              "sluice.ready",
              "1 if the task works and all servers answer",
              s -> s.notReady().isEmpty() ? 1 : 0),
          endpoints(
              "sluice.endpoint.up",
              "1 if it answered when it was asked last",
              server -> server.up() ? 1 : 0),
          endpoints(
              "sluice.endpoint.last.ok.timestamp.seconds",
              "when it answered last, in seconds since 1970; 0 if it never has",
              server -> server.lastOk() == null ? 0 : server.lastOk().toEpochMilli() / 1000.0),
          gauge(
              "sluice.latency.source.seconds",
              "how far the journal is behind the source",
              s -> orZero(s.latency().sourceSeconds())),
          gauge(
              "sluice.latency.target.seconds",
              "how far the target is behind the source",
              s -> orZero(s.latency().targetSeconds())),
          gauge(
              "sluice.source.rows.per.second",
              "rows written to the journal in a second",
              s -> s.throughput().sourceRowsPerSecond()),
          gauge(
              "sluice.target.rows.per.second",
              "source rows applied in a second",
              s -> s.throughput().targetRowsPerSecond()),
          gauge(
              "sluice.full.load.rows.per.second",
              "rows loaded in a second",
              s -> s.throughput().fullLoadRowsPerSecond()),
          gauge(
              "sluice.memory.limit.bytes",
              "what open transactions and windows may hold",
              s -> s.memory().limitBytes()),
          gauge(
              "sluice.swap.limit.bytes",
              "what the swap files may hold",
              s -> s.swap().limitBytes()),
          gauge("sluice.swap.files", "number of swap files", s -> s.swap().files()),
          new DaemonMetric(
              "sluice.swap.transactions",
              Kind.COUNTER,
              "transactions that went to swap",
              List.of(
                  new Series("reason", "limit", s -> s.swap().spilledByLimit()),
                  new Series("reason", "age", s -> s.swap().spilledByAge()))),
          gauge(
              "sluice.journal.bytes",
              "size of the journal on the broker's disk",
              s -> orZero(s.journal().bytes())),
          gauge(
              "sluice.source.retained.bytes",
              "log that the source keeps for the task",
              s -> orZero(s.source().retainedBytes())),
          new DaemonMetric(
              "sluice.hours.left",
              Kind.GAUGE,
              "hours until a disk is full at the present rate",
              List.of(hoursLeft("source log"), hoursLeft("kafka disk"))),
          counter(
              "sluice.source.changes",
              "row changes written to the journal",
              s -> s.source().changes()),
          counter(
              "sluice.source.ignored.messages",
              "messages under the task's names that others wrote into the source's log",
              s -> s.source().ignoredMessages()),
          validation(
              "sluice.validation.failed.rows",
              Kind.GAUGE,
              "rows that the validation proved to differ",
              ValidationStatus::failed),
          validation(
              "sluice.validation.rejected.rows",
              Kind.GAUGE,
              "rows that differ and of which the target rejected a change",
              ValidationStatus::rejected),
          validation(
              "sluice.validation.pending.rows",
              Kind.GAUGE,
              "rows of which the validation does not know yet whether they differ",
              ValidationStatus::pending),
          validation(
              "sluice.validation.suspended.rows",
              Kind.GAUGE,
              "rows that change too often to be compared",
              ValidationStatus::suspended),
          validation(
              "sluice.validation.touched.rows",
              Kind.GAUGE,
              "rows that were changed and not compared since",
              ValidationStatus::touched),
          validation(
              "sluice.validation.proven.tables",
              Kind.GAUGE,
              "tables whose every row is proven equal",
              ValidationStatus::provenTables),
          validation(
              "sluice.validation.tables",
              Kind.GAUGE,
              "tables that are validated",
              status -> status.tables().size()),
          validation(
              "sluice.validation.rows",
              Kind.COUNTER,
              "rows that the validation has compared",
              status -> status.rows() + status.keys()),
          validation(
              "sluice.validation.sessions",
              Kind.COUNTER,
              "sessions of the validation",
              ValidationStatus::sessions),
          gauge(
              "sluice.source.changes.after.cutover",
              "row changes on the source after the cutover, which the target does not get",
              s -> s.sourceWatch() == null ? 0 : s.sourceWatch().changes()),
          fallback(
              "sluice.fallback.up",
              "1 if the way back is armed, or carries changes back, and nothing is in its way",
              back -> back.works() ? 1 : 0),
          fallback(
              "sluice.fallback.canary.seconds",
              "how long the way back's last canary took",
              back -> orZero(back.canaryMillis()) / 1000),
          fallback(
              "sluice.fallback.canary.timestamp.seconds",
              "when the way back's last canary came back, in seconds since 1970; 0 if never",
              back -> back.canaryAt() == null ? 0 : back.canaryAt().toEpochMilli() / 1000.0),
          fallback(
              "sluice.fallback.latency.seconds",
              "how far the old source is behind the new side once the way back has begun",
              back -> orZero(back.lagSeconds())),
          fallback(
              "sluice.fallback.retained.bytes",
              "log that the new side keeps for the way back",
              back -> orZero(back.keptBytes())),
          fallback(
              "sluice.fallback.retained.limit.bytes",
              "FallbackLogLimit; 0 without a way back",
              FallbackStatus::limitBytes));

  /** A figure that is not known, or does not apply, counts as 0. */
  private static double orZero(Number value) {
    return value == null ? 0 : value.doubleValue();
  }

  /** Every metric, but those of Java itself. */
  public static List<DaemonMetric> all() {
    List<DaemonMetric> all = new ArrayList<>(OWN);
    TableMetric.ALL.forEach(metric -> all.add(metric.declared()));
    for (SinkMetric metric : SinkMetric.values()) {
      metric.daemonName().ifPresent(name -> all.add(of(name, metric)));
    }
    return all;
  }

  /** The name on the page for Prometheus. */
  public String exposedName() {
    return name.replace('.', '_') + (kind == Kind.COUNTER ? "_total" : "");
  }

  private static DaemonMetric gauge(
      String name, String description, ToDoubleFunction<TaskStatus> value) {
    return new DaemonMetric(name, Kind.GAUGE, description, List.of(new Series(value)));
  }

  private static DaemonMetric counter(
      String name, String description, ToDoubleFunction<TaskStatus> value) {
    return new DaemonMetric(name, Kind.COUNTER, description, List.of(new Series(value)));
  }

  /** A metric of the validation; 0 without one. */
  private static DaemonMetric validation(
      String name, Kind kind, String description, ToDoubleFunction<ValidationStatus> value) {
    return new DaemonMetric(
        name,
        kind,
        description,
        List.of(new Series(s -> s.validation() == null ? 0 : value.applyAsDouble(s.validation()))));
  }

  /** A metric of the way back; 0 without one. */
  private static DaemonMetric fallback(
      String name, String description, ToDoubleFunction<FallbackStatus> value) {
    return gauge(
        name,
        description,
        status -> status.fallback() == null ? 0 : value.applyAsDouble(status.fallback()));
  }

  /** A metric of each server; 0 for one that was not asked yet. */
  private static DaemonMetric endpoints(
      String name, String description, ToDoubleFunction<TaskStatus.Endpoint> value) {
    return new DaemonMetric(
        name,
        Kind.GAUGE,
        description,
        List.of("source", "target", "kafka").stream()
            .map(
                server ->
                    new Series(
                        "endpoint",
                        server,
                        status ->
                            status.endpoints().stream()
                                .filter(endpoint -> endpoint.name().equals(server))
                                .mapToDouble(value)
                                .findFirst()
                                .orElse(0)))
            .toList());
  }

  /** Infinite without a limit, or if the disk does not fill. */
  private static Series hoursLeft(String guard) {
    return new Series(
        "of",
        guard,
        status ->
            status.guards().stream()
                .filter(state -> state.name().equals(guard) && state.hoursLeft() != null)
                .mapToDouble(TaskStatus.Guard::hoursLeft)
                .findFirst()
                .orElse(Double.POSITIVE_INFINITY));
  }

  private static DaemonMetric of(String name, SinkMetric metric) {
    return new DaemonMetric(
        name,
        metric.kind(),
        metric.description(),
        List.of(new Series(status -> metric.value(figures(status)))));
  }

  /** All lanes together, counted from the daemon's start. */
  private static SinkFigures figures(TaskStatus status) {
    return new SinkFigures(
        status.windows().applied(),
        status.target().changes(),
        status.target().netChanges(),
        status.tables().stream().mapToLong(TableStatus::conflicts).sum(),
        status.suspended().size(),
        status.backlog().changes(),
        status.memory().bytes(),
        status.swap().bytes(),
        0);
  }
}
