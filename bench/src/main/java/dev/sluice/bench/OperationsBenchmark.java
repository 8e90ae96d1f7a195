package dev.sluice.bench;

import dev.sluice.bench.operations.Watchers;
import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Arrivals;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.Latency;
import dev.sluice.bench.workload.OpenLoop;
import dev.sluice.bench.workload.TimedTables;
import dev.sluice.bench.workload.TimedTransactions;
import java.io.PrintStream;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Measures what it costs to watch a task: one daemon with many tables at a steady rate of changes,
 * by turns with nobody, with an open page, and with the scrapes of a monitoring system.
 */
public final class OperationsBenchmark implements Benchmark {
  private static final Map<String, String> TITLES = new LinkedHashMap<>();

  static {
    TITLES.put("nobody", "nobody watches");
    TITLES.put("page", "a page is open");
    TITLES.put("scrapes", "scrapes every 15 s");
  }

  private static final int WRITERS = 8;
  private static final Duration LIMIT = Duration.ofMinutes(30);

  public static void main(String... arguments) {
    Benchmark.main(new OperationsBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/operations: what an open page and scrapes cost a running task, by turns with"
                + " nobody who watches")
        .with(
            "watchers",
            "nobody,page,scrapes",
            "(nobody|page|scrapes)(,(nobody|page|scrapes))*",
            "who watches, one after the other")
        .withCount("tables", 1000, "small tables that are changed; a multiple of 20")
        .withCount("changes", 5000, "per second")
        .withNumber("warmup", "30", "seconds before the first turn")
        .withNumber("seconds", "60", "of each turn")
        .withCount("runs", 3, "turns of each");
  }

  /** One turn of somebody who watches. */
  private record Turn(
      String watcher, SluiceTask.Cpu cpu, double seconds, long from, long to, String read) {}

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    TimedTables tables = TimedTables.of(arguments.count("tables"));
    double rate = (double) arguments.count("changes") / TimedTables.CHANGES;
    List<Turn> turns = new ArrayList<>();
    List<Latency.Committed> committed;
    try (SluiceTask task =
        new SluiceTask(
            servers,
            "operations",
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, TargetMetadata:"
                + " {BatchApplyEnabled: true}, ChangeProcessingTuning:"
                + " {BatchApplyTimeoutMin: 0.1}}")) {
      tables.create(task.source());
      task.start();
      try (Arrivals arrivals = Arrivals.watch(task.target(), WRITERS);
          OpenLoop loop = OpenLoop.start(task.source(), WRITERS, rate, TimedTables.TRANSACTION)) {
        pass(arguments.number("warmup"), loop, task);
        for (int run = 1; run <= arguments.count("runs"); run++) {
          for (String watcher : arguments.text("watchers").split(",")) {
            turns.add(turn(watcher, arguments.number("seconds"), loop, task));
          }
        }
        loop.stop();
        awaitAll(loop.committed(), task);
        arrivals.stop();
        committed = TimedTransactions.committed(task.source());
        print(arguments, servers, turns, committed, arrivals, out);
      }
      Digest.requireEqual("Sluice", task.source(), task.target(), tables.names());
      out.println("\nAll tables are equal.");
    }
  }

  private static Turn turn(String watcher, double seconds, OpenLoop loop, SluiceTask task)
      throws Exception {
    Watchers watchers = Watchers.start(task.daemon().address(), Set.of(watcher));
    String read;
    SluiceTask.Cpu before = task.cpu();
    long begun = System.nanoTime();
    long from = micros();
    try (watchers) {
      pass(seconds, loop, task);
      read = watchers.read();
    }
    return new Turn(
        watcher, task.cpu().since(before), (System.nanoTime() - begun) / 1e9, from, micros(), read);
  }

  private static long micros() {
    return Instant.now().toEpochMilli() * 1000;
  }

  private static void pass(double seconds, OpenLoop loop, SluiceTask task) throws Exception {
    long end = System.nanoTime() + Math.round(seconds * 1e9);
    while (System.nanoTime() < end) {
      loop.requireHealthy();
      task.daemon().requireAlive();
      Thread.sleep(Math.max(1, Math.min(200, (end - System.nanoTime()) / 1_000_000)));
    }
  }

  private static void awaitAll(long committed, SluiceTask task) throws Exception {
    try (Connection connection = task.target().connect()) {
      Waiting.until(
          committed + " transactions to be on the target",
          LIMIT,
          () -> {
            task.daemon().requireAlive();
            return Database.single(connection, "SELECT count(*) FROM " + TimedTransactions.TABLE)
                .equals(Long.toString(committed));
          });
    }
  }

  private static void print(
      Arguments arguments,
      ServerPair servers,
      List<Turn> turns,
      List<Latency.Committed> committed,
      Arrivals arrivals,
      PrintStream out)
      throws Exception {
    Map<String, List<Figures>> all = new LinkedHashMap<>();
    for (Turn turn : turns) {
      Figures figures = Figures.of(turn, committed, arrivals);
      all.computeIfAbsent(turn.watcher(), key -> new ArrayList<>()).add(figures);
      out.println(TITLES.get(turn.watcher()) + ": " + figures + " " + turn.read());
    }
    out.println();
    out.println(
        Conditions.of(
            servers,
            String.format(
                Locale.ROOT,
                "%,d tables, %,d changes/s in transactions of %d on %d connections,"
                    + " BatchApplyTimeoutMin 0.1 s, turns of %s s after %s s",
                arguments.count("tables"),
                arguments.count("changes"),
                TimedTables.CHANGES,
                WRITERS,
                arguments.text("seconds"),
                arguments.text("warmup"))));
    out.println(
        "\n| who watches | CPU s of the daemon in a minute (min – max) | more than nobody, in the"
            + " same round | CPU s of both servers | p50 ms | p99 ms (min – max) | changes/s |"
            + " turns |\n| --- | --- | --- | --- | --- | --- | --- | --- |");
    List<Figures> alone = all.getOrDefault("nobody", List.of());
    all.forEach((watcher, figures) -> out.println(row(TITLES.get(watcher), figures, alone)));
  }

  /** What one turn gave; CPU seconds are of a minute. */
  private record Figures(double daemon, double servers, Latency latency, double changesPerSecond) {

    static Figures of(Turn turn, List<Latency.Committed> committed, Arrivals arrivals)
        throws Exception {
      List<Latency.Committed> here =
          committed.stream().filter(each -> each.micros() < turn.to()).toList();
      Latency latency = Latency.of(here, arrivals::of, turn.from());
      double perMinute = 60 / turn.seconds();
      return new Figures(
          turn.cpu().daemon() * perMinute,
          (turn.cpu().source() + turn.cpu().target()) * perMinute,
          latency,
          latency.sortedMicros().length * TimedTables.CHANGES / turn.seconds());
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%.2f CPU s of the daemon in a minute, %s;", daemon, latency);
    }
  }

  private static String row(String title, List<Figures> figures, List<Figures> alone) {
    MedianSpread cpu = MedianSpread.of(figures, Figures::daemon);
    MedianSpread late = MedianSpread.of(figures, each -> each.latency().millis(0.99));
    return String.format(
        Locale.ROOT,
        "| %s | %.2f (%.2f – %.2f) | %s | %.1f | %.0f | %.0f (%.0f – %.0f) | %,.0f | %d |",
        title,
        cpu.median(),
        cpu.least(),
        cpu.most(),
        more(figures, alone),
        MedianSpread.of(figures, Figures::servers).median(),
        MedianSpread.of(figures, each -> each.latency().millis(0.5)).median(),
        late.median(),
        late.least(),
        late.most(),
        MedianSpread.of(figures, Figures::changesPerSecond).median(),
        figures.size());
  }

  /** The median of the differences of pairs. */
  private static String more(List<Figures> figures, List<Figures> alone) {
    if (alone.isEmpty() || figures == alone) {
      return "–";
    }
    List<Double> differences = new ArrayList<>();
    for (int i = 0; i < Math.min(figures.size(), alone.size()); i++) {
      differences.add(figures.get(i).daemon() - alone.get(i).daemon());
    }
    return String.format(
        Locale.ROOT, "%+.2f", MedianSpread.of(differences, Double::doubleValue).median());
  }
}
