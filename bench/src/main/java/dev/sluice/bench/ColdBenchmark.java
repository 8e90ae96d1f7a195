package dev.sluice.bench;

import dev.sluice.bench.peer.DumpAndRestore;
import dev.sluice.bench.peer.PgCopyDb;
import dev.sluice.bench.peer.TypedCommand;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.LoadedTables;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures Sluice as a user meets it: the command as it is typed, from a cold start, on servers
 * with their default durability.
 */
public final class ColdBenchmark implements Benchmark {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String SETTINGS =
      "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE, MaxFullLoadSubTasks: %d},"
          + " Sluice: {PostLoadThreads: %d}}";

  public static void main(String... arguments) {
    Benchmark.main(new ColdBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/cold: the command as it is typed, from a cold start, on servers with their"
                + " default durability: the start of a task with a waiting backlog, and a full load"
                + " beside pg_dump and pg_restore, and pgcopydb")
        .with("parts", "start,load", "(start|load)(,(start|load))*", "which")
        .withCount("backlog", 20_000, "start: transactions that wait, of two changes")
        .withCount("rows", 4_000_000, "load: of all tables together")
        .withCount("tables", 2, "load: of the same size")
        .with(
            "kind",
            "accounts",
            LoadedTables.Kind.names(),
            "accounts (130 bytes a row), integers, wide (52 columns) or large (32 kB a row)")
        .withCount("jobs", 2, "load: workers, or jobs of the peers")
        .with(
            "servers",
            "embedded",
            "embedded|installed",
            "embedded, or installed: those of the machine, for which its pg_dump is fit")
        .withCount("runs", 3, "of each contender");
  }

  @Override
  public ServerPair servers(Arguments arguments) throws IOException {
    return ServerPair.startDurable(
        arguments.text("servers").equals("installed")
            ? PostgresVersion.INSTALLED
            : PostgresVersion.NEWEST);
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    List<String> parts = List.of(arguments.text("parts").split(","));
    TypedCommand.prepare();
    if (parts.contains("start")) {
      start(arguments, servers, out);
    }
    if (parts.contains("load")) {
      load(arguments, servers, out);
    }
  }

  /** Figures of one start, in milliseconds and CPU seconds of the daemon. */
  private record Start(double firstRow, double cpu, Map<String, Double> commands) {}

  private static void start(Arguments arguments, ServerPair servers, PrintStream out)
      throws Exception {
    Database source = ServerPair.create(servers.source("source_cold"));
    Database target = ServerPair.create(servers.target("target_cold"));
    source.execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance int)",
        "INSERT INTO account SELECT i, 0 FROM generate_series(1, 100000) i",
        "CREATE TABLE entry (id bigserial PRIMARY KEY, account int, at timestamptz DEFAULT now())",
        """
        CREATE PROCEDURE work(transactions int) LANGUAGE plpgsql AS $$
        BEGIN
          FOR i IN 1..transactions LOOP
            UPDATE account SET balance = balance + 1 WHERE id = i % 100000 + 1;
            INSERT INTO entry (account) VALUES (i);
            COMMIT;
          END LOOP;
        END $$""");
    TypedCommand sluice =
        new TypedCommand(
            servers.newFolder("cold"),
            source,
            target,
            "full-load-and-cdc",
            SETTINGS.formatted(2, 2));
    Map<String, String> contenders = new LinkedHashMap<>();
    contenders.put("with the archive of classes", "-Xmx1g");
    contenders.put(
        "with Java's own archive alone",
        "-Xmx1g -XX:SharedArchiveFile="
            + Path.of(System.getProperty("java.home"), "lib", "server", "classes.jsa"));
    loaded(sluice, target);
    Map<String, List<Start>> all = new LinkedHashMap<>();
    for (int run = 1; run <= arguments.count("runs"); run++) {
      for (Map.Entry<String, String> contender : contenders.entrySet()) {
        sluice.javaOptions(contender.getValue());
        Start measured = measuredStart(sluice, source, target, arguments.count("backlog"));
        all.computeIfAbsent(contender.getKey(), key -> new ArrayList<>()).add(measured);
        out.println(
            "run %d: %s: first row after %.0f ms, %.1f CPU s; commands, ms: %s"
                .formatted(
                    run,
                    contender.getKey(),
                    measured.firstRow(),
                    measured.cpu(),
                    measured.commands()));
      }
    }
    Digest.requireEqual("sluice run", source, target, List.of("account", "entry"));
    sluice.run("stop");
    ServerPair.drop(target);
    ServerPair.dropSlot(source, "sluice_cold");
    ServerPair.drop(source);
    out.println();
    out.println(
        Conditions.of(
            servers,
            "%,d transactions of an update and an insert wait"
                .formatted(arguments.count("backlog"))));
    out.println(
        "\n| what | first row, ms: median (least – most) | CPU s of the daemon by then | status, ms"
            + " | check, ms | tune, ms |\n| --- | --- | --- | --- | --- | --- |");
    all.forEach(
        (contender, starts) ->
            out.println(
                "| %s | %s | %.1f | %s | %s | %s |"
                    .formatted(
                        contender,
                        spread(MedianSpread.of(starts, Start::firstRow)),
                        MedianSpread.of(starts, Start::cpu).median(),
                        command(starts, "status"),
                        command(starts, "check"),
                        command(starts, "tune"))));
    out.println();
  }

  private static String command(List<Start> starts, String name) {
    return spread(MedianSpread.of(starts, start -> start.commands().get(name)));
  }

  private static String spread(MedianSpread spread) {
    return String.format(
        Locale.ROOT, "%,.0f (%,.0f – %,.0f)", spread.median(), spread.least(), spread.most());
  }

  private static Start measuredStart(
      TypedCommand sluice, Database source, Database target, int backlog) throws Exception {
    source.execute("CALL work(" + backlog + ")");
    try (Connection onTarget = target.connect()) {
      String there = "SELECT coalesce(max(id), 0) FROM entry";
      long before = Long.parseLong(Database.single(onTarget, there));
      long began = System.nanoTime();
      Process daemon = sluice.start("run", sluice.output("run.out"));
      try {
        Waiting.until(
            "the first applied row",
            LIMIT,
            () -> {
              requireAlive(daemon, sluice);
              return Long.parseLong(Database.single(onTarget, there)) > before;
            });
        double firstRow = (System.nanoTime() - began) / 1e6;
        double cpu = CpuTime.ofTree(daemon.pid());
        sluice.run("wait");
        Map<String, Double> commands = new LinkedHashMap<>();
        for (String name : List.of("status", "tune")) {
          commands.put(name, (double) sluice.run(name).toMillis());
        }
        end(daemon);
        // Beside a daemon it ends with a problem: a second one could not run.
        commands.put("check", (double) sluice.run("check").toMillis());
        return new Start(firstRow, cpu, commands);
      } finally {
        end(daemon);
      }
    }
  }

  /** Loads the tables, and ends the daemon with a checkpoint. */
  private static void loaded(TypedCommand sluice, Database target) throws Exception {
    Process daemon = sluice.start("run", sluice.output("run.out"));
    try (Connection onTarget = target.connect()) {
      Waiting.until(
          "the load",
          LIMIT,
          () -> {
            requireAlive(daemon, sluice);
            return Database.single(onTarget, "SELECT to_regclass('entry') IS NOT NULL").equals("t");
          });
      sluice.run("wait");
    } finally {
      end(daemon);
    }
  }

  private static void requireAlive(Process daemon, TypedCommand sluice) {
    if (!daemon.isAlive()) {
      throw new IllegalStateException(
          "the daemon ended with " + daemon.exitValue() + ", see " + sluice.output("run.out"));
    }
  }

  private static void end(Process daemon) throws InterruptedException {
    daemon.destroy();
    if (!daemon.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      daemon.destroyForcibly();
    }
  }

  /** One way to copy a database. */
  private interface Copy {
    void run(Database source, Database target) throws Exception;
  }

  private static void load(Arguments arguments, ServerPair servers, PrintStream out)
      throws Exception {
    LoadedTables tables =
        new LoadedTables(
            LoadedTables.Kind.of(arguments.text("kind")),
            arguments.count("tables"),
            arguments.count("rows") / arguments.count("tables"));
    int jobs = arguments.count("jobs");
    int major = servers.majorVersion();
    Database source = ServerPair.create(servers.source("source_cold_load"));
    tables.fill(source);
    Map<String, Copy> contenders = new LinkedHashMap<>();
    if (DumpAndRestore.obstacle(major).isEmpty()) {
      contenders.put(
          "pg_dump, pg_restore",
          (from, to) -> DumpAndRestore.copy(from, to, servers.newFolder("peer"), jobs));
    }
    if (PgCopyDb.obstacle(major).isEmpty()) {
      contenders.put(
          "pgcopydb", (from, to) -> PgCopyDb.copy(from, to, servers.newFolder("peer"), jobs));
    }
    contenders.put(
        "sluice run",
        (from, to) ->
            new TypedCommand(
                    servers.newFolder("load"),
                    from,
                    to,
                    "full-load",
                    SETTINGS.formatted(jobs, jobs))
                .run("run"));
    List<Result> results =
        contenders.keySet().stream().map(name -> new Result(name, new ArrayList<>())).toList();
    for (int run = 1; run <= arguments.count("runs"); run++) {
      for (Result result : results) {
        Measurement measured =
            measuredLoad(servers, source, tables, result, contenders.get(result.contender()));
        result.runs().add(measured);
        out.println(
            "run %d: %s: %.1f s, %.1f CPU s"
                .formatted(
                    run,
                    result.contender(),
                    measured.wall().toMillis() / 1e3,
                    measured.cpuSeconds()));
      }
    }
    ServerPair.drop(source);
    out.println();
    DumpAndRestore.obstacle(major)
        .ifPresent(why -> out.println("pg_dump, pg_restore: not measured, " + why));
    PgCopyDb.obstacle(major).ifPresent(why -> out.println("pgcopydb: not measured, " + why));
    out.println(
        Conditions.of(
            servers,
            "%d tables of %,d rows (%s) with keys and indexes, %d jobs"
                .formatted(tables.count(), tables.rows(), arguments.text("kind"), jobs)));
    out.println();
    out.print(Result.table(results, results.get(0)));
  }

  private static Measurement measuredLoad(
      ServerPair servers, Database source, LoadedTables tables, Result contender, Copy copy)
      throws Exception {
    Database target = ServerPair.create(servers.target("target_cold_load"));
    target.execute("CHECKPOINT");
    double cpu = cpu(servers);
    double targetCpu = servers.targetCpu();
    long began = System.nanoTime();
    copy.run(source, target);
    Duration wall = Duration.ofNanos(System.nanoTime() - began);
    Measurement measured =
        new Measurement(
            tables.allRows(), wall, cpu(servers) - cpu, servers.targetCpu() - targetCpu);
    Digest.requireEqual(contender.contender(), source, target, tables.names());
    ServerPair.drop(target);
    return measured;
  }

  private static double cpu(ServerPair servers) {
    return CpuTime.ofEndedChildren() + servers.sourceCpu() + servers.targetCpu();
  }
}
