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
 * The task's figures in Prometheus' text form. Each page is made of one picture of the task. Used
 * by the threads of the status server, one at a time.
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
    gauge("sluice.memory.limit.bytes", "what they may hold", s -> s.memory().limitBytes());
    gauge("sluice.swap.bytes", "swap files on disk", s -> s.swap().bytes());
    gauge("sluice.swap.limit.bytes", "what they may have", s -> s.swap().limitBytes());
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
        "1 where the task works and all servers answer",
        s -> s.notReady().isEmpty() ? 1 : 0);
    List.of("source", "target", "kafka").forEach(this::endpoint);
    counter("sluice.source.changes", "row changes journaled", s -> s.source().changes());
    counter(
        "sluice.source.ignored.messages",
        "messages under the task's names that others wrote into the source's log",
        s -> s.source().ignoredMessages());
    counter("sluice.target.changes", "row changes applied", s -> s.target().changes());
    counter("sluice.target.net.changes", "net changes applied", s -> s.target().netChanges());
    counter("sluice.windows.applied", "windows applied", s -> s.windows().applied());
    counter(
        "sluice.target.conflicts",
        "changes left out because the target did not take them",
        s -> s.tables().stream().mapToLong(TaskStatus.Table::conflicts).sum());
    gauge(
        "sluice.source.changes.after.cutover",
        "row changes on the source that the target does not get, since it is cut over",
        s -> s.sourceWatch() == null ? 0 : s.sourceWatch().changes());
    gauge("sluice.suspended.tables", "tables that are passed over", s -> s.suspended().size());
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
        .description("1 where the server answered when it was asked last")
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
        .description("when the server answered last, in seconds since 1970; 0 where it never has")
        .tag("endpoint", name)
        .register(registry);
  }

  private Stream<TaskStatus.Endpoint> endpoints(String name) {
    return status.endpoints().stream().filter(endpoint -> endpoint.name().equals(name));
  }

  /** Infinite where nothing limits it, or it does not grow. */
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
