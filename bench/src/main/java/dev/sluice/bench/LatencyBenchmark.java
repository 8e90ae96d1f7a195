package dev.sluice.bench;

import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.peer.Subscription;
import dev.sluice.bench.peer.ValidationWork;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.OldestSnapshot;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Arrivals;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.Latency;
import dev.sluice.bench.workload.OpenLoop;
import dev.sluice.bench.workload.TimedTransactions;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/**
 * Measures the time from source commit to visible on the target, at a steady rate of small
 * transactions, with Sluice and PostgreSQL's own logical replication by turns.
 */
public final class LatencyBenchmark implements Benchmark {
  private static final Map<String, String> TITLES =
      Map.of(
          "native", "PostgreSQL's logical replication",
          "sluice", "Sluice",
          "validated", "Sluice, validating all the time");

  private static final int WRITERS = 8;
  private static final Duration ARRIVAL_LIMIT = Duration.ofMinutes(10);

  public static void main(String... arguments) {
    Benchmark.main(new LatencyBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/latency: from source commit to visible on the target at a steady rate of"
                + " transactions, through Sluice and PostgreSQL's logical replication, by turns")
        .with(
            "contenders",
            "native,sluice",
            "(native|sluice|validated)(,(native|sluice|validated))*",
            "which; validated is Sluice with EnableValidation")
        .withCount("rate", 1000, "transactions per second")
        .withNumber("min", "0.1", "BatchApplyTimeoutMin, in seconds")
        .withNumber("warmup", "20", "seconds that are not counted")
        .withNumber("seconds", "60", "seconds that are counted")
        .withCount("runs", 3, "of each contender");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    int rate = arguments.count("rate");
    int runs = arguments.count("runs");
    Load load = new Load(rate, seconds(arguments, "warmup"), seconds(arguments, "seconds"));
    Map<String, List<Run>> all = new LinkedHashMap<>();
    for (int run = 1; run <= runs; run++) {
      for (String contender : arguments.text("contenders").split(",")) {
        String name = contender + "_" + run;
        Run measured =
            contender.equals("native")
                ? natively(servers, load, name)
                : withSluice(servers, load, settings(arguments, contender), name);
        String title = TITLES.get(contender);
        all.computeIfAbsent(title, key -> new ArrayList<>()).add(measured);
        out.println("run " + run + ": " + title + ": " + measured);
      }
    }
    out.println();
    out.println(
        Conditions.of(
            servers,
            String.format(
                Locale.ROOT,
                "%,d transactions/s of an update and an insert on %d connections, %s s counted"
                    + " after %s s, BatchApplyTimeoutMin %s",
                rate,
                WRITERS,
                arguments.text("seconds"),
                arguments.text("warmup"),
                arguments.text("min"))));
    out.println(
        "\n| what | p50 ms (min – max of runs) | p99 ms | max ms | transactions/s | CPU s per"
            + " million changes | runs |\n| --- | --- | --- | --- | --- | --- | --- |");
    all.forEach((title, measured) -> out.println(row(title, measured)));
  }

  private static String settings(Arguments arguments, String contender) {
    return "{TargetMetadata: {BatchApplyEnabled: true}, ChangeProcessingTuning:"
        + " {BatchApplyTimeoutMin: "
        + arguments.text("min")
        + "}, ValidationSettings: {EnableValidation: "
        + contender.equals("validated")
        + "}}";
  }

  private static Duration seconds(Arguments arguments, String name) {
    return Duration.ofMillis(Math.round(arguments.number(name) * 1000));
  }

  private static Run natively(ServerPair servers, Load load, String name) throws Exception {
    Pair pair = Pair.create(servers, name);
    Run run;
    try (Subscription subscription =
        Subscription.create(pair.source(), pair.target(), name, "bench")) {
      subscription.enable();
      run =
          load.run(
              pair,
              () -> servers.sourceCpu() + servers.targetCpu(),
              subscription::requireHealthy,
              () -> new ValidationWork(0, 0, 0));
    }
    pair.finish("PostgreSQL's logical replication");
    return run;
  }

  private static Run withSluice(ServerPair servers, Load load, String settings, String name)
      throws Exception {
    Pair pair = Pair.create(servers, name);
    SluiceDaemon.Task task =
        new SluiceDaemon.Task(
            name.replace('_', '-'),
            pair.source(),
            pair.target(),
            name,
            "bench",
            List.of("%"),
            settings,
            List.of("-Xmx1g"));
    Run run;
    try (SluiceDaemon daemon = SluiceDaemon.start(servers.newFolder(name), task)) {
      daemon.awaitReplicating(ARRIVAL_LIMIT);
      run =
          load.run(
              pair,
              () -> servers.sourceCpu() + servers.targetCpu() + CpuTime.ofTree(daemon.pid()),
              daemon::requireAlive,
              () -> ValidationWork.of(daemon));
    }
    if (name.startsWith("validated")) {
      run.work().requireSome();
    }
    pair.finish("Sluice");
    return run;
  }

  private static String row(String name, List<Run> runs) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %,.0f | %.1f | %d |",
        name,
        spread(runs, run -> run.latency().millis(0.5)),
        spread(runs, run -> run.latency().millis(0.99)),
        spread(runs, run -> run.latency().millis(1)),
        MedianSpread.of(runs, Run::perSecond).median(),
        MedianSpread.of(runs, Run::cpuPerMillion).median(),
        runs.size());
  }

  private static String spread(List<Run> runs, ToDoubleFunction<Run> figure) {
    MedianSpread spread = MedianSpread.of(runs, figure);
    return String.format(
        Locale.ROOT, "%.1f (%.1f – %.1f)", spread.median(), spread.least(), spread.most());
  }

  /** Checks that a contender still works while the load runs. */
  private interface Health {
    void require() throws SQLException;
  }

  /** What the validation has done so far. */
  private interface Work {
    ValidationWork soFar() throws InterruptedException;
  }

  /** A source and a target database with the tables, and a slot from before any transaction. */
  private record Pair(Database source, Database target, String slot) {

    static Pair create(ServerPair servers, String name) throws SQLException {
      Database source = ServerPair.create(servers.source("source_" + name));
      Database target = ServerPair.create(servers.target("target_" + name));
      TimedTransactions.createTables(source);
      TimedTransactions.createSource(source);
      TimedTransactions.createTables(target);
      ServerPair.createSlot(source, name);
      return new Pair(source, target, name);
    }

    void finish(String contender) throws SQLException, InterruptedException {
      Digest.requireEqual(contender, source, target, TimedTransactions.TABLES);
      ServerPair.dropSlot(source, slot);
      ServerPair.drop(source);
      ServerPair.drop(target);
    }
  }

  /** Runs the load at the steady rate, and measures it. */
  private record Load(int rate, Duration warmup, Duration counted) {

    Run run(Pair pair, DoubleSupplier cpu, Health health, Work work) throws Exception {
      try (Connection connection = pair.target().connect();
          OldestSnapshot onSource = OldestSnapshot.watch(pair.source());
          OldestSnapshot onTarget = OldestSnapshot.watch(pair.target());
          Arrivals arrivals = Arrivals.watch(pair.target(), WRITERS);
          OpenLoop loop =
              OpenLoop.start(pair.source(), WRITERS, rate, TimedTransactions.TRANSACTION)) {
        pass(warmup, loop, health);
        long fromMicros = Instant.now().toEpochMilli() * 1000;
        long before = loop.committed();
        ValidationWork workBefore = work.soFar();
        double cpuBefore = cpu.getAsDouble();
        pass(
            counted,
            loop,
            () -> {
              health.require();
              onSource.look();
              onTarget.look();
            });
        // Each writer may have been at one that was begun before.
        Waiting.until(
            "a transaction that counts",
            ARRIVAL_LIMIT,
            () -> {
              loop.requireHealthy();
              return loop.committed() > before + WRITERS;
            });
        long committed = loop.committed() - before;
        double cpuSeconds = cpu.getAsDouble() - cpuBefore;
        ValidationWork validated = work.soFar().since(workBefore);
        loop.stop();
        String all = Long.toString(loop.committed());
        Waiting.until(
            all + " transactions to be on the target",
            ARRIVAL_LIMIT,
            () -> {
              health.require();
              return Database.single(connection, "SELECT count(*) FROM " + TimedTransactions.TABLE)
                  .equals(all);
            });
        arrivals.stop();
        return new Run(
            Latency.of(TimedTransactions.committed(pair.source()), arrivals::of, fromMicros),
            committed / (counted.toMillis() / 1e3),
            cpuSeconds * 1e6 / (2 * committed),
            loop.latest(),
            onSource.oldest(),
            onTarget.oldest(),
            validated);
      }
    }

    private static void pass(Duration time, OpenLoop loop, Health health) throws Exception {
      long end = System.nanoTime() + time.toNanos();
      while (System.nanoTime() < end) {
        loop.requireHealthy();
        health.require();
        Thread.sleep(Math.max(1, Math.min(200, (end - System.nanoTime()) / 1_000_000)));
      }
    }
  }

  /**
   * @param perSecond transactions that the source took
   * @param latestStart how late the latest of them began, measured against its plan
   * @param onSource the oldest snapshot there
   * @param onTarget the oldest snapshot there
   * @param work of the validation in the time that counts
   */
  private record Run(
      Latency latency,
      double perSecond,
      double cpuPerMillion,
      Duration latestStart,
      Duration onSource,
      Duration onTarget,
      ValidationWork work) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s; %,.0f transactions/s, the latest begun %d ms late; oldest snapshot of the source %d"
              + " ms, of the target %d ms; %,d sessions of the validation with %,d rows and %,d"
              + " single rows; tables equal",
          latency,
          perSecond,
          latestStart.toMillis(),
          onSource.toMillis(),
          onTarget.toMillis(),
          work.sessions(),
          work.rows(),
          work.keys());
    }
  }
}
