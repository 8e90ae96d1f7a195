package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.LatencyCourse;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Servers;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.Heartbeats;
import dev.sluice.bench.workload.Tpcc;
import dev.sluice.bench.workload.TpccConnections;
import java.io.PrintStream;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The experiment of an article on tuning AWS DMS: nine tables of a TPC-C kind, worked on by 1, then
 * 10, then 25 connections, followed with the default settings, with two tuned settings and with the
 * tables split over three tasks; source and target latency and throughput as the article's table
 * has them, and whether the target ever falls behind without end.
 */
public final class DmsExperiment implements Benchmark {
  private static final int[] CONNECTIONS = {1, 10, 25};
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final long SAMPLE_MILLIS = 1000;

  /** Falling behind by more than this in each second is growth; less is the windows' own swing. */
  private static final double GROWTH = 0.1;

  private static final String SAMPLE_RUN =
      "{TargetMetadata: {BatchApplyEnabled: true}, ChangeProcessingTuning:"
          + " {BatchApplyPreserveTransaction: true, BatchApplyTimeoutMin: 1, BatchApplyTimeoutMax:"
          + " 2, BatchApplyMemoryLimit: 1000, BatchSplitSize: 15000, MinTransactionSize: 1000,"
          + " CommitTimeout: 1, MemoryLimitTotal: 32768, MemoryKeepTime: 1000, StatementCacheSize:"
          + " 100}}";

  private static final String CONTINUOUS =
      "{TargetMetadata: {BatchApplyEnabled: true}, ChangeProcessingTuning:"
          + " {BatchApplyPreserveTransaction: true, BatchApplyTimeoutMin: 1, BatchApplyTimeoutMax:"
          + " 1, BatchApplyMemoryLimit: 2000, BatchSplitSize: 18000, MinTransactionSize: 1000,"
          + " CommitTimeout: 1, MemoryLimitTotal: 32768, MemoryKeepTime: 4000, StatementCacheSize:"
          + " 100}}";

  /** The four rows of the article's table, with the settings that it gives. */
  private static final List<Test> TESTS =
      List.of(
          new Test(
              "default",
              "Using default settings",
              "{TargetMetadata: {BatchApplyEnabled: true}}",
              List.of(Tpcc.TABLES)),
          new Test("sample", "Use custom settings", SAMPLE_RUN, List.of(Tpcc.TABLES)),
          new Test(
              "continuous",
              "Use custom settings with continuous load batches",
              CONTINUOUS,
              List.of(Tpcc.TABLES)),
          new Test(
              "split",
              "Use custom settings with tasks split and continuous load batches",
              CONTINUOUS,
              Tpcc.SETS));

  public static void main(String... arguments) {
    Benchmark.main(new DmsExperiment(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/dms-experiment: nine tables of a TPC-C kind, 1, 10 and 25 connections, four sets"
                + " of DMS settings; latency and throughput")
        .with(
            "tests",
            "default,sample,continuous,split",
            "(default|sample|continuous|split)(,(default|sample|continuous|split))*",
            "some of default,sample,continuous,split")
        .withNumber("seconds", "40", "that each number of connections works; the article's 600")
        .withNumber("pause", "5", "seconds between them; the article's 240")
        .with(
            "rate",
            "0",
            "[0-9]{1,6}",
            "transactions per second of each connection; 0 is all it can")
        .withCount("warehouses", 10, "of 10 districts, 3,000 customers and 10,000 items in stock")
        .withCount("heap", 2048, "of all daemons of a test together, in megabytes")
        .withCount("limit", 900, "the most that a test's backlog may take to drain, in seconds");
  }

  @Override
  public void run(Arguments arguments, Servers servers, PrintStream out) throws Exception {
    List<String> chosen = List.of(arguments.text("tests").split(","));
    int warehouses = arguments.count("warehouses");
    List<Outcome> outcomes = new ArrayList<>();
    Tpcc.createTables(Servers.create(servers.source("tpcc")), warehouses);
    Tpcc.createWorkload(servers.source("tpcc"), warehouses);
    Tpcc.createTables(Servers.create(servers.target("tpcc")), warehouses);
    for (Test test : TESTS) {
      if (chosen.contains(test.name())) {
        Outcome outcome = new TestRun(test, servers, arguments, out).run();
        outcomes.add(outcome);
      }
    }
    out.println();
    out.println(
        Conditions.of(
            servers,
            String.format(
                Locale.ROOT,
                "%d warehouses, 1, 10 and 25 connections for %s s each at %s, %s s between,"
                    + " daemons with %,d MB of heap in all",
                warehouses,
                arguments.text("seconds"),
                arguments.count("rate") == 0
                    ? "full speed"
                    : arguments.count("rate") + " transactions/s each",
                arguments.text("pause"),
                arguments.count("heap"))));
    out.println(
        "\n| Test | Source latency (s, most) | Target latency (s, most) | Source throughput (rows/s,"
            + " most in 10 s) | Target throughput (rows/s, most in 10 s) |\n"
            + "| --- | --- | --- | --- | --- |");
    outcomes.forEach(outcome -> out.println(outcome.row()));
    out.println(
        "\n| Test | connections | ran s | transactions/s | changes captured | target latency most s"
            + " | at the end s | grows s/s |\n| --- | --- | --- | --- | --- | --- | --- | --- |");
    outcomes.forEach(
        outcome -> outcome.phases().forEach(phase -> out.println(phase.row(outcome.test()))));
    out.println();
    outcomes.forEach(outcome -> out.println(outcome.verdict()));
  }

  /**
   * @param sets of tables, one task each
   */
  private record Test(String name, String title, String settings, List<List<String>> sets) {}

  /** One number of connections at work for a time. */
  private record PhaseOutcome(
      int connections, double seconds, long transactions, LatencyCourse course, long changes) {

    boolean grows() {
      return course.growth().orElse(0) > GROWTH;
    }

    String row(Test test) {
      return String.format(
          Locale.ROOT,
          "| %s | %d | %.0f | %,.0f | %,d | %.1f | %.1f | %s |",
          test.name(),
          connections,
          seconds,
          transactions / seconds,
          changes,
          course.maxTarget(),
          course.lastTarget(),
          course.growth().isEmpty()
              ? "too short to tell"
              : String.format(Locale.ROOT, "%+.2f", course.growth().getAsDouble()));
    }
  }

  private record Outcome(
      Test test, LatencyCourse course, List<PhaseOutcome> phases, double drainSeconds) {

    String row() {
      return String.format(
          Locale.ROOT,
          "| %s | %.1f | %.1f | %,.0f | %,.0f |",
          test.title(),
          course.maxSource(),
          course.maxTarget(),
          course.maxCaptured(),
          course.maxApplied());
    }

    String verdict() {
      List<String> growing =
          phases.stream()
              .filter(PhaseOutcome::grows)
              .map(phase -> phase.connections() + " connections")
              .toList();
      return String.format(
          Locale.ROOT,
          "%s: %s; all on the target %.1f s after the workload's end, tables equal",
          test.name(),
          growing.isEmpty()
              ? phases.stream().allMatch(phase -> phase.course().growth().isPresent())
                  ? "target latency grew in no phase"
                  : "phases too short to tell whether target latency grows"
              : "target latency GREW with " + String.join(" and with ", growing),
          drainSeconds);
    }
  }

  /** One test: its databases, its daemons, its three phases. Owned by the benchmark's thread. */
  private static final class TestRun {
    private final Test test;
    private final Servers servers;
    private final Arguments arguments;
    private final PrintStream out;
    private final int tasks;
    private final LatencyCourse course = new LatencyCourse();
    private final long begin = System.nanoTime();

    private TestRun(Test test, Servers servers, Arguments arguments, PrintStream out) {
      this.test = test;
      this.servers = servers;
      this.arguments = arguments;
      this.out = out;
      this.tasks = test.sets().size();
    }

    Outcome run() throws Exception {
      Database source = Servers.copy(servers.source("tpcc"), "source_" + test.name());
      Database target = Servers.copy(servers.target("tpcc"), "target_" + test.name());
      Heartbeats.createTables(source, tasks);
      Heartbeats.createTables(target, tasks);
      List<SluiceDaemon> daemons = new ArrayList<>();
      Outcome outcome;
      try {
        for (int task = 0; task < tasks; task++) {
          daemons.add(start(source, target, task));
        }
        for (SluiceDaemon daemon : daemons) {
          daemon.awaitReplicating(START_LIMIT);
        }
        outcome = follow(source, target, daemons);
      } finally {
        daemons.forEach(SluiceDaemon::close);
      }
      for (int task = 0; task < tasks; task++) {
        Servers.dropSlot(source, slot(task));
      }
      Servers.drop(source);
      Servers.drop(target);
      out.println(outcome.verdict());
      return outcome;
    }

    private SluiceDaemon start(Database source, Database target, int task) throws Exception {
      List<String> tables =
          Stream.concat(test.sets().get(task).stream(), Stream.of(Heartbeats.table(task))).toList();
      source.execute(
          "CREATE PUBLICATION " + slot(task) + " FOR TABLE " + String.join(", ", tables));
      Servers.createSlot(source, slot(task));
      return SluiceDaemon.start(
          servers.newFolder(slot(task)),
          new SluiceDaemon.Task(
              test.name() + "-" + task,
              source,
              target,
              slot(task),
              slot(task),
              tables,
              test.settings(),
              List.of("-Xmx" + arguments.count("heap") / tasks + "m")));
    }

    private Outcome follow(Database source, Database target, List<SluiceDaemon> daemons)
        throws Exception {
      Duration time = Duration.ofMillis(Math.round(arguments.number("seconds") * 1000));
      List<PhaseOutcome> phases = new ArrayList<>();
      double ended;
      try (Heartbeats heartbeats = Heartbeats.start(source, tasks);
          Connection connection = target.connect()) {
        awaitFirstHeartbeat(connection, daemons);
        for (int connections : CONNECTIONS) {
          double from = now();
          TpccConnections working =
              TpccConnections.start(source, connections, time, arguments.count("rate"));
          while (working.isRunning()) {
            sample(connection, daemons, heartbeats);
          }
          double to = now();
          LatencyCourse during = course.between(from, to);
          PhaseOutcome phase =
              new PhaseOutcome(
                  connections, to - from, working.transactions(), during, during.captured());
          phases.add(phase);
          out.println(phase.row(test));
          double rest = arguments.number("pause");
          while (connections != CONNECTIONS[CONNECTIONS.length - 1] && now() < to + rest) {
            sample(connection, daemons, heartbeats);
          }
        }
        ended = now();
        while (Heartbeats.age(connection, tasks) > now() - ended) {
          sample(connection, daemons, heartbeats);
          if (now() - ended > arguments.count("limit")) {
            throw new IllegalStateException(
                test.name()
                    + ": the backlog is not drained after "
                    + Math.round(now() - ended)
                    + " s");
          }
        }
        double drained = now() - ended;
        heartbeats.stop();
        awaitLastHeartbeat(source, target, daemons);
        List<String> tables =
            Stream.concat(Tpcc.TABLES.stream(), Heartbeats.tables(tasks).stream()).toList();
        Digest.requireEqual("Sluice", source, target, tables);
        return new Outcome(test, course, phases, drained);
      }
    }

    /** Until then the age of the heartbeats is that of the databases. */
    private void awaitFirstHeartbeat(Connection target, List<SluiceDaemon> daemons)
        throws Exception {
      double from = now();
      for (SluiceDaemon daemon : daemons) {
        daemon.await(
            "the first heartbeat to be on the target",
            START_LIMIT,
            () -> Heartbeats.age(target, tasks) < now() - from);
      }
    }

    private void awaitLastHeartbeat(Database source, Database target, List<SluiceDaemon> daemons)
        throws Exception {
      String last = Digest.of(source, Heartbeats.tables(tasks));
      for (SluiceDaemon daemon : daemons) {
        daemon.await(
            "the last heartbeat to be on the target",
            START_LIMIT,
            () -> Digest.of(target, Heartbeats.tables(tasks)).equals(last));
      }
    }

    /** Takes one sample, after a second. */
    private void sample(Connection target, List<SluiceDaemon> daemons, Heartbeats heartbeats)
        throws Exception {
      Thread.sleep(SAMPLE_MILLIS);
      heartbeats.requireHealthy();
      double behind = 0;
      long captured = 0;
      long applied = 0;
      for (SluiceDaemon daemon : daemons) {
        Optional<JsonNode> page = daemon.status();
        if (page.isEmpty()) {
          return;
        }
        behind = Math.max(behind, page.get().at("/latency/source_seconds").asDouble());
        captured += page.get().at("/source/changes").asLong();
        applied += page.get().at("/target/changes").asLong();
      }
      course.add(
          new LatencyCourse.Sample(
              now(), behind, Heartbeats.age(target, tasks), captured, applied));
    }

    private String slot(int task) {
      return test.name() + "_" + task;
    }

    private double now() {
      return (System.nanoTime() - begin) / 1e9;
    }
  }
}
