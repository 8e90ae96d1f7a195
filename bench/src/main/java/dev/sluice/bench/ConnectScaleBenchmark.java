package dev.sluice.bench;

import dev.sluice.bench.connect.ConnectBench;
import dev.sluice.bench.connect.ConnectSink;
import dev.sluice.bench.connect.ProcessCosts;
import dev.sluice.bench.connect.RecordConverter;
import dev.sluice.bench.connect.SinkKind;
import dev.sluice.bench.connect.SourceTopics;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.run.Turns;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.SpreadTables;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Measures Sluice's sink on Kafka Connect with one, two and four tasks over tables with a topic
 * each, and which process is the bottleneck.
 */
public final class ConnectScaleBenchmark implements Benchmark {

  public static void main(String... arguments) {
    Benchmark.main(new ConnectScaleBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/connect-scale: Sluice's sink in the layout tables, with several numbers of tasks"
                + " in one worker of Kafka Connect, by turns")
        .with("tasks", "1,2,4", "[1-9][0-9]?(,[1-9][0-9]?)*", "numbers of tasks, with commas")
        .with(
            "assignment",
            "round-robin",
            "round-robin|default",
            "of partitions to tasks: one by one, or Kafka's default, topic by topic")
        .with("converter", "json", "json|binary", "of the topics' records")
        .withCount("tables", 8, "with a topic of one partition each")
        .withNumber("size", "1", "of the backlog; 1 is 800,000 changes")
        .withCount("poll", 10_000, "records handed to a task at once")
        .withCount("heap", 3072, "of the worker, in megabytes")
        .withCount("runs", 3, "of each number")
        .withCount("limit", 1200, "the most that one run may take, in seconds");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    SpreadTables shape =
        new SpreadTables(
            arguments.count("tables"), Math.max(1, Math.round(200_000 * arguments.number("size"))));
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    int heap = arguments.count("heap");
    RecordConverter converter = RecordConverter.of(arguments.text("converter"));
    boolean roundRobin = arguments.text("assignment").equals("round-robin");
    out.println(shape.title());
    try (ConnectBench bench = ConnectBench.start(servers, heap)) {
      Backlog backlog = new Backlog(shape);
      SourceTopics topics = SourceTopics.byTable(bench, "spread", backlog.tables(), converter);
      List<ConnectSink> sinks = new ArrayList<>();
      for (String tasks : arguments.text("tasks").split(",")) {
        SinkKind kind = SinkKind.sluiceTables(Integer.parseInt(tasks), roundRobin);
        sinks.add(new ConnectSink(bench, topics, kind, arguments.count("poll"), limit));
      }
      List<Result> results =
          new Turns(servers, backlog, arguments.count("runs"), out).run(List.copyOf(sinks));
      out.println();
      out.println(
          Conditions.of(
              servers,
              "one worker of Kafka Connect with a heap of "
                  + heap
                  + " MB, "
                  + converter
                  + ", topics of one partition, Sluice with DMS's default settings"));
      out.println(shape.title() + ":\n");
      out.print(table(results, sinks));
    }
  }

  private static String table(List<Result> results, List<ConnectSink> sinks) {
    StringBuilder table =
        new StringBuilder(
            "| what | rows/s (median) | rows/s (min – max) | × the first | CPU s per million |"
                + " worker, cores | Kafka, cores | target, cores | runs |\n"
                + "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < results.size(); i++) {
      Result result = results.get(i);
      MedianSpread rate = MedianSpread.of(result.runs(), Measurement::changesPerSecond);
      List<ProcessCosts> costs = sinks.get(i).costs();
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %,.0f | %,.0f – %,.0f | %.2f | %.1f | %.2f | %.2f | %.2f | %d |%n",
              result.contender(),
              rate.median(),
              rate.least(),
              rate.most(),
              result.ratioTo(results.get(0)),
              MedianSpread.of(result.runs(), Measurement::cpuSecondsPerMillion).median(),
              cores(result, costs, ProcessCosts::worker),
              cores(result, costs, ProcessCosts::broker),
              cores(result, costs, ProcessCosts::target),
              result.runs().size()));
    }
    return table.toString();
  }

  /** The average number of processors that one process kept busy, over all runs. */
  private static double cores(
      Result result, List<ProcessCosts> costs, ToDoubleFunction<ProcessCosts> process) {
    double seconds = result.runs().stream().mapToDouble(run -> run.wall().toNanos() / 1e9).sum();
    return costs.stream().mapToDouble(process).sum() / seconds;
  }
}
