package dev.sluice.bench;

import dev.sluice.bench.peer.NativeReplication;
import dev.sluice.bench.peer.SluiceApply;
import dev.sluice.bench.peer.SluiceWholePath;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.run.Turns;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Shape;
import dev.sluice.bench.workload.Tpcb;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/**
 * Drains one backlog of pgbench transactions, by turns with PostgreSQL's own logical replication,
 * with Sluice (the complete path, from the daemon's start to the last row on the target) and with
 * Sluice's sink alone, from a journal that was filled before.
 */
public final class DrainBenchmark implements Benchmark {
  private static final String SETTINGS =
      "{ChangeProcessingTuning: {BatchApplyTimeoutMin: 1, BatchApplyMemoryLimit: 500}}";

  public static void main(String... arguments) {
    Benchmark.main(new DrainBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/drain: drains a backlog of pgbench transactions with Sluice, the whole path and"
                + " its sink alone, and with PostgreSQL's logical replication, by turns")
        .withCount("scale", 20, "pgbench's scale, 100,000 accounts each")
        .withCount("transactions", 500_000, "of the backlog, four changes each")
        .withCount("runs", 3, "of each contender")
        .with("durability", "off", "off|default", "default: each commit waits for the disk")
        .withCount("limit", 1200, "the most that one drain may take, in seconds");
  }

  @Override
  public ServerPair servers(Arguments arguments) throws IOException {
    return arguments.text("durability").equals("default")
        ? ServerPair.startDurable(PostgresVersion.NEWEST)
        : ServerPair.start();
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    Shape shape = new Tpcb(arguments.count("scale"), arguments.count("transactions"), false);
    Duration limit = Duration.ofSeconds(arguments.count("limit"));
    out.println(shape.title());
    try (EmbeddedBroker broker = EmbeddedBroker.start(servers.newFolder("kafka"))) {
      List<Contender> contenders =
          List.of(
              new NativeReplication(servers, limit),
              new SluiceWholePath(servers, SETTINGS, limit, out),
              new SluiceApply(servers, broker, true, 1, limit, out));
      List<Result> results =
          new Turns(servers, new Backlog(shape), arguments.count("runs"), out).run(contenders);
      out.println();
      out.println(Conditions.of(servers, "Sluice with DMS's default settings, heaps of 2 GB"));
      out.println(shape.title() + ":\n");
      out.print(Result.table(results, results.get(0)));
    }
  }
}
