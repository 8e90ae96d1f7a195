package dev.sluice.bench;

import dev.sluice.bench.connect.ConnectBench;
import dev.sluice.bench.connect.ConnectSink;
import dev.sluice.bench.connect.ProcessCosts;
import dev.sluice.bench.connect.RecordConverter;
import dev.sluice.bench.connect.SinkKind;
import dev.sluice.bench.connect.SourceTopics;
import dev.sluice.bench.connect.TargetFaults;
import dev.sluice.bench.peer.JdbcSink;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.run.Turns;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Shapes;
import dev.sluice.bench.workload.Tpcb;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Compares Debezium's JDBC sink and Sluice's in one Kafka Connect worker, a separate process, on
 * the same topics: their speed, and the errors that each leaves on the target.
 */
public final class ConnectBenchmark implements Benchmark {

  public static void main(String... arguments) {
    Benchmark.main(new ConnectBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/connect: Debezium's JDBC sink, UNNEST off and on, and Sluice's sink in one"
                + " worker of Kafka Connect on the topics of Debezium's PostgreSQL connector, by"
                + " turns; then what each leaves wrong")
        .with(
            "converters",
            "json,binary",
            "json(,binary)?",
            "of the topics' records; Debezium's sink reads JSON")
        .with("only", ".*", ".+", "sinks whose name matches this regular expression")
        .withNumber("size", "0.2", "of the backlog; 1 is 2,000,000 changes of TPC-B")
        .withCount("poll", 10_000, "records handed to a sink at once; also the peer's batch.size")
        .withCount("heap", 2048, "of the worker, in megabytes")
        .withCount("runs", 3, "of each contender")
        .withCount("limit", 1200, "the most that one run may take, in seconds");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    Tpcb shape = Shapes.tpcb(arguments.number("size"), true);
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    int poll = arguments.count("poll");
    int heap = arguments.count("heap");
    out.println(shape.title());
    try (ConnectBench bench = ConnectBench.start(servers, heap)) {
      Backlog backlog = new Backlog(shape);
      List<ConnectSink> contenders = new ArrayList<>();
      for (String converter : arguments.text("converters").split(",")) {
        contenders.addAll(contenders(bench, backlog, RecordConverter.of(converter), poll, limit));
      }
      contenders.removeIf(sink -> !sink.name().matches(arguments.text("only")));
      List<Result> results =
          new Turns(servers, backlog, arguments.count("runs"), out).run(List.copyOf(contenders));
      String faults =
          new TargetFaults(bench, servers, limit)
              .table(List.of(SinkKind.jdbc(false), SinkKind.sluice("tables-with-transactions")));
      out.println();
      out.println(
          Conditions.of(
              servers,
              "one worker of Kafka Connect with a heap of "
                  + heap
                  + " MB, polls of "
                  + poll
                  + " records, topics of one partition, Debezium's JDBC sink "
                  + JdbcSink.version()
                  + " (upsert, reduction buffer, truncate.enabled), Sluice with DMS's default"
                  + " settings"));
      out.println(shape.title() + ":\n");
      out.print(Result.table(results, peer(results)));
      out.println("\nCPU seconds per million changes, of all runs:\n");
      out.print(costs(results, contenders));
      out.println("\nWhat is on the target after:\n");
      out.print(faults);
    }
  }

  /** The sinks that read topics of one converter; Debezium's JDBC sink those of JSON alone. */
  private static List<ConnectSink> contenders(
      ConnectBench bench, Backlog backlog, RecordConverter converter, int poll, Duration limit) {
    boolean isJson = converter == RecordConverter.JSON;
    String ending = isJson ? "" : "_binary";
    SourceTopics byTable =
        SourceTopics.byTable(bench, "by_table" + ending, backlog.tables(), converter);
    SourceTopics ordered =
        SourceTopics.ordered(bench, "ordered" + ending, backlog.tables(), converter);
    List<SinkKind> onTables = new ArrayList<>();
    if (isJson) {
      onTables.add(SinkKind.jdbc(false));
      onTables.add(SinkKind.jdbc(true));
    }
    onTables.add(SinkKind.sluiceTables(1));
    onTables.add(SinkKind.sluice("tables-with-transactions"));
    List<ConnectSink> sinks = new ArrayList<>();
    for (SinkKind kind : onTables) {
      sinks.add(new ConnectSink(bench, byTable, isJson ? kind : kind.on(converter), poll, limit));
    }
    SinkKind last = SinkKind.sluice("ordered");
    SinkKind named = isJson ? last : last.on(converter);
    sinks.add(new ConnectSink(bench, ordered, named, poll, limit));
    sinks.add(new ConnectSink(bench, ordered, named.behindConverter(), poll, limit));
    return sinks;
  }

  private static String costs(List<Result> results, List<ConnectSink> sinks) {
    StringBuilder table =
        new StringBuilder("| what | worker | Kafka | target |\n| --- | --- | --- | --- |\n");
    for (int i = 0; i < sinks.size(); i++) {
      long changes = results.get(i).runs().stream().mapToLong(Measurement::changes).sum();
      List<ProcessCosts> costs = sinks.get(i).costs();
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %.1f | %.1f | %.1f |%n",
              results.get(i).contender(),
              perMillion(costs, ProcessCosts::worker, changes),
              perMillion(costs, ProcessCosts::broker, changes),
              perMillion(costs, ProcessCosts::target, changes)));
    }
    return table.toString();
  }

  private static double perMillion(
      List<ProcessCosts> costs, ToDoubleFunction<ProcessCosts> process, long changes) {
    return costs.stream().mapToDouble(process).sum() * 1e6 / changes;
  }

  /** Debezium's JDBC sink in its faster form; without it, the first sink. */
  private static Result peer(List<Result> results) {
    return results.stream()
        .filter(result -> result.contender().startsWith("Debezium"))
        .max(Comparator.comparingDouble(Result::changesPerSecond))
        .orElse(results.get(0));
  }
}
