package dev.sluice.engine.status;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The task's metrics in Prometheus' text format. Each page is made from one status of the task.
 * Used by the threads of the status server, one at a time.
 */
final class MetricsPage {
  private final Supplier<TaskStatus> task;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private TaskStatus status;

  MetricsPage(Supplier<TaskStatus> task) {
    this.task = task;
    this.status = task.get();
    registry.config().commonTags("task", status.task());
    gauge(
        "sluice.latency.source.seconds",
        "journal behind the source",
        s -> s.latency().sourceSeconds());
    gauge(
        "sluice.latency.target.seconds",
        "target behind the source",
        s -> s.latency().targetSeconds());
    gauge(
        "sluice.source.rows.per.second",
        "rows journaled in a second",
        s -> s.throughput().sourceRowsPerSecond());
    gauge(
        "sluice.target.rows.per.second",
        "source rows applied in a second",
        s -> s.throughput().targetRowsPerSecond());
    gauge(
        "sluice.full.load.rows.per.second",
        "rows loaded in a second",
        s -> s.throughput().fullLoadRowsPerSecond());
    gauge("sluice.backlog.changes", "changes not applied yet", s -> s.backlog().changes());
    gauge("sluice.memory.bytes", "held by transactions and windows", s -> s.memory().bytes());
    gauge(
        "sluice.memory.limit.bytes",
        "limit of transactions and windows",
        s -> s.memory().limitBytes());
    gauge("sluice.swap.bytes", "swap files on disk", s -> s.swap().bytes());
    gauge("sluice.swap.limit.bytes", "limit of the swap files", s -> s.swap().limitBytes());
    gauge("sluice.swap.files", "swap files", s -> s.swap().files());
    spilled("limit", s -> s.swap().spilledByLimit());
    spilled("age", s -> s.swap().spilledByAge());
    gauge("sluice.journal.bytes", "journal on the broker's disk", s -> s.journal().bytes());
    gauge(
        "sluice.source.retained.bytes",
        "log the source keeps for the slot",
        s -> s.source().retainedBytes());
    hoursLeft("source log");
    hoursLeft("kafka disk");
    gauge("sluice.up", "1 unless the task failed", s -> s.phase().equals("failed") ? 0 : 1);
    gauge(
        "sluice.ready",
        "1 if the task works and all servers answer",
        s -> s.notReady().isEmpty() ? 1 : 0);
    List.of("source", "target", "kafka").forEach(this::endpoint);
    counter("sluice.source.changes", "row changes journaled", s -> s.source().changes());
    counter(
        "sluice.source.ignored.messages",
        "messages with the task's names that other programs wrote into the source's log",
        s -> s.source().ignoredMessages());
    counter("sluice.target.changes", "row changes applied", s -> s.target().changes());
    counter("sluice.target.net.changes", "net changes applied", s -> s.target().netChanges());
    counter("sluice.windows.applied", "windows applied", s -> s.windows().applied());
    counter(
        "sluice.target.conflicts",
        "changes rejected by the target",
        s -> s.tables().stream().mapToLong(TableStatus::conflicts).sum());
    gauge(
        "sluice.source.changes.after.cutover",
        "row changes on the source after the cutover, which the target does not get",
        s -> s.sourceWatch() == null ? 0 : s.sourceWatch().changes());
    gauge(
        "sluice.suspended.tables",
        "tables whose changes are not applied with the others",
        s -> s.suspended().size());
    new JvmMemoryMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
  }

  synchronized String text() {
    status = task.get();
    return registry.scrape();
  }

  private void spilled(String reason, ToDoubleFunction<TaskStatus> value) {
    FunctionCounter.builder(
            "sluice.swap.transactions", this, page -> value.applyAsDouble(page.status))
        .description("transactions that went to swap, by reason")
        .tag("reason", reason)
        .register(registry);
  }

  private void endpoint(String name) {
    Gauge.builder(
            "sluice.endpoint.up",
            this,
            page -> page.endpoints(name).anyMatch(TaskStatus.Endpoint::up) ? 1 : 0)
        .description("1 if the server answered the last check")
        .tag("endpoint", name)
        .register(registry);
    Gauge.builder(
            "sluice.endpoint.last.ok.timestamp.seconds",
            this,
            page ->
                page.endpoints(name)
                    .filter(endpoint -> endpoint.lastOk() != null)
                    .mapToDouble(endpoint -> endpoint.lastOk().toEpochMilli() / 1000.0)
                    .findFirst()
                    .orElse(0))
        .description("when the server last answered, in seconds since 1970; 0 if never")
        .tag("endpoint", name)
        .register(registry);
  }

  private Stream<TaskStatus.Endpoint> endpoints(String name) {
    return status.endpoints().stream().filter(endpoint -> endpoint.name().equals(name));
  }

  /** Registers the hours until a disk is full; infinite without a limit, or if it does not grow. */
  private void hoursLeft(String guard) {
    Gauge.builder(
            "sluice.hours.left",
            this,
            page ->
                page.status.guards().stream()
                    .filter(state -> state.name().equals(guard) && state.hoursLeft() != null)
                    .mapToDouble(TaskStatus.Guard::hoursLeft)
                    .findFirst()
                    .orElse(Double.POSITIVE_INFINITY))
        .description("until a disk is full at the present rate")
        .tag("of", guard)
        .register(registry);
  }

  private void gauge(String name, String what, ToDoubleFunction<TaskStatus> value) {
    Gauge.builder(name, this, page -> value.applyAsDouble(page.status))
        .description(what)
        .register(registry);
  }

  private void counter(String name, String what, ToDoubleFunction<TaskStatus> value) {
    FunctionCounter.builder(name, this, page -> value.applyAsDouble(page.status))
        .description(what)
        .register(registry);
  }
}
