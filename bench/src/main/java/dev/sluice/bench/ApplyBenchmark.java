package dev.sluice.bench;

import dev.sluice.bench.peer.NativeReplication;
import dev.sluice.bench.peer.SluiceApply;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.run.Turns;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Shape;
import dev.sluice.bench.workload.Shapes;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Compares Sluice's sink, reading a filled journal, with PostgreSQL's own logical replication, for
 * several shapes of changes.
 */
public final class ApplyBenchmark implements Benchmark {
  private static final String SETTINGS =
      "Sluice with DMS's default settings and a heap of "
          + Runtime.getRuntime().maxMemory() / (1024 * 1024)
          + " MB";

  public static void main(String... arguments) {
    Benchmark.main(new ApplyBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    String names = Shapes.all(1).stream().map(Shape::name).collect(Collectors.joining(","));
    return new Arguments(
            "bench/apply: drains a filled journal with Sluice's sink, and the same changes with"
                + " PostgreSQL's logical replication, by turns")
        .with(
            "shapes",
            names,
            "(" + names.replace(',', '|') + ")(,(" + names.replace(',', '|') + "))*",
            "some of " + names)
        .withNumber("size", "1", "of each backlog; 1 is 1,000,000 changes of most, 0.01 a try")
        .with("mode", "batch", "batch|transactional", "batch or transactional (BatchApplyEnabled)")
        .withCount("runs", 3, "of each contender and shape")
        .withCount("lanes", 1, "connections of Sluice's sink, each with whole tables")
        .withCount("limit", 1200, "the most that one drain may take, in seconds");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    List<String> chosen = List.of(arguments.text("shapes").split(","));
    boolean batch = arguments.text("mode").equals("batch");
    StringBuilder tables = new StringBuilder();
    try (EmbeddedBroker broker = EmbeddedBroker.start(servers.newFolder("kafka"))) {
      for (Shape shape : Shapes.all(arguments.number("size"))) {
        if (!chosen.contains(shape.name())) {
          continue;
        }
        out.println(shape.title());
        List<Contender> contenders =
            List.of(
                new NativeReplication(servers, limit),
                new SluiceApply(servers, broker, batch, arguments.count("lanes"), limit, out));
        List<Result> results =
            new Turns(servers, new Backlog(shape), arguments.count("runs"), out).run(contenders);
        tables.append('\n').append(shape.title()).append(":\n\n");
        tables.append(Result.table(results, results.get(0)));
      }
      out.println();
      out.println(Conditions.of(servers, SETTINGS));
      out.print(tables);
    }
  }
}
