package dev.sluice.bench;

import dev.sluice.bench.peer.CopyPipes;
import dev.sluice.bench.peer.SluiceLoad;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Servers;
import dev.sluice.bench.workload.Digest;
import dev.sluice.config.DataSize;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Copies one table, by turns, with Sluice's full load, in one piece and cut into segments, and with
 * plain pipes of COPY.
 */
public final class LoadBenchmark implements Benchmark {
  private static final String TABLE = "accounts";
  private static final DataSize WHOLE = DataSize.ofMebibytes(1 << 20);

  public static void main(String... arguments) {
    Benchmark.main(new LoadBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/load: copies one table with Sluice's full load, whole and cut into segments, and"
                + " with plain pipes of COPY, by turns")
        .withCount("rows", 3_000_000, "of the table, about 130 bytes each")
        .withCount("workers", 4, "of the load, and pipes beside each other")
        .withCount("segment", 64, "LoadSegmentSize, in MB")
        .withCount("commit", 10_000, "CommitRate")
        .withCount("runs", 3, "of each contender");
  }

  /** One way to copy the table. */
  private interface Copy {
    void run(Database source, Database target) throws Exception;
  }

  private record Contender(String name, Copy copy) {}

  @Override
  public void run(Arguments arguments, Servers servers, PrintStream out) throws Exception {
    int rows = arguments.count("rows");
    int workers = arguments.count("workers");
    int commit = arguments.count("commit");
    DataSize segment = DataSize.ofMebibytes(arguments.count("segment"));
    Database source = Servers.create(servers.source("source_load"));
    Database template = Servers.create(servers.target("template_load"));
    for (Database database : List.of(source, template)) {
      database.execute(
          "CREATE TABLE accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84),"
              + " changed timestamptz)");
    }
    source.execute(
        "INSERT INTO accounts SELECT i, i % 100, 0, 'account ' || i, now() FROM generate_series(1, "
            + rows
            + ") i",
        "VACUUM ANALYZE accounts");
    List<Contender> contenders =
        List.of(
            new Contender("COPY, one pipe", (from, to) -> CopyPipes.copy(from, to, TABLE, 1)),
            new Contender(
                "Sluice, whole",
                (from, to) -> SluiceLoad.copy(from, to, TABLE, workers, commit, WHOLE)),
            new Contender(
                "COPY, " + workers + " pipes",
                (from, to) -> CopyPipes.copy(from, to, TABLE, workers)),
            new Contender(
                "Sluice, " + workers + " workers, segments of " + segment,
                (from, to) -> SluiceLoad.copy(from, to, TABLE, workers, commit, segment)));
    List<Result> results = new ArrayList<>();
    contenders.forEach(each -> results.add(new Result(each.name(), new ArrayList<>())));
    for (int run = 1; run <= arguments.count("runs"); run++) {
      for (int i = 0; i < contenders.size(); i++) {
        Measurement measured = measure(servers, source, template, contenders.get(i), rows);
        results.get(i).runs().add(measured);
        out.println(
            String.format(
                Locale.ROOT,
                "run %d: %s: %,.0f rows/s, %.1f s",
                run,
                contenders.get(i).name(),
                measured.changesPerSecond(),
                measured.wall().toMillis() / 1e3));
      }
    }
    Servers.drop(source);
    Servers.drop(template);
    out.println();
    out.println(
        Conditions.of(servers, "one table with a primary key, CommitRate %,d".formatted(commit)));
    out.println(String.format(Locale.ROOT, "%,d rows:%n", rows));
    out.print(Result.table(results, results.get(0)));
  }

  private static Measurement measure(
      Servers servers, Database source, Database template, Contender contender, int rows)
      throws Exception {
    Database target = Servers.copy(template, "target_load");
    double cpu = CpuTime.ofThisProcess() + servers.sourceCpu() + servers.targetCpu();
    double targetCpu = servers.targetCpu();
    long started = System.nanoTime();
    contender.copy().run(source, target);
    Duration wall = Duration.ofNanos(System.nanoTime() - started);
    Measurement measured =
        new Measurement(
            rows,
            wall,
            CpuTime.ofThisProcess() + servers.sourceCpu() + servers.targetCpu() - cpu,
            servers.targetCpu() - targetCpu);
    Digest.requireEqual(contender.name(), source, target, List.of(TABLE));
    Servers.drop(target);
    return measured;
  }
}
