package dev.sluice.bench;

import dev.sluice.bench.peer.CopyPipes;
import dev.sluice.bench.peer.DumpAndRestore;
import dev.sluice.bench.peer.PgCopyDb;
import dev.sluice.bench.peer.SluiceLoad;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.LoadedTables;
import dev.sluice.bench.workload.TableOnMariadb;
import dev.sluice.config.settings.DataSize;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Compares Sluice's full load with its peers, by turns: the rows alone with plain pipes of COPY,
 * and rows, keys and indexes with pg_dump and pg_restore and with pgcopydb.
 */
public final class LoadBenchmark implements Benchmark {

  public static void main(String... arguments) {
    Benchmark.main(new LoadBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/load: copies tables with Sluice's full load, with plain pipes of COPY (into"
                + " LOAD DATA of MariaDB), and with pg_dump and pg_restore and pgcopydb where they"
                + " are installed, by turns")
        .with("target", "postgresql", "postgresql|mariadb", "postgresql or mariadb")
        .withCount("rows", 4_000_000, "of all tables together")
        .withCount("tables", 2, "of the same size")
        .with(
            "kind",
            "accounts",
            LoadedTables.Kind.names(),
            "accounts (130 bytes a row), integers, wide (52 columns) or large (32 kB a row)")
        .with(
            "jobs", "2", "[1-9](,[1-9])*", "workers, pipes or jobs; each number is one run: 1,2,3")
        .withCount("segment", 64, "LoadSegmentSize, in MB")
        .withCount("commit", 50_000, "CommitRate")
        .with(
            "servers",
            "embedded",
            "embedded|installed",
            "embedded, or installed: those of the machine, for which its pg_dump is fit")
        .withCount("runs", 3, "of each contender");
  }

  @Override
  public ServerPair servers(Arguments arguments) throws IOException {
    return ServerPair.start(
        arguments.text("servers").equals("installed")
            ? PostgresVersion.INSTALLED
            : PostgresVersion.NEWEST,
        Database.Kind.of(arguments.text("target")));
  }

  /** One way to copy the tables. */
  private interface Copy {
    void run(Database source, Database target) throws Exception;
  }

  /**
   * @param into the template of a target database: tables without rows, or nothing
   */
  private record Contender(String name, Database into, Copy copy) {}

  /** A program that copies a whole database. */
  private record Peer(String name, Optional<String> obstacle, ProgramCopy copy) {}

  private interface ProgramCopy {
    void run(Database source, Database target, Path folder, int jobs) throws Exception;
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    LoadedTables tables =
        new LoadedTables(
            LoadedTables.Kind.of(arguments.text("kind")),
            arguments.count("tables"),
            arguments.count("rows") / arguments.count("tables"));
    Database source = ServerPair.create(servers.source("source_load"));
    Database keyed = ServerPair.create(servers.target("keyed_load"));
    Database empty = ServerPair.create(servers.target("empty_load"));
    tables.fill(source);
    if (keyed.isMariadb()) {
      TableOnMariadb.create(source, keyed, tables.names());
    } else {
      tables.create(keyed);
    }
    List<Peer> peers = keyed.isMariadb() ? List.of() : peers(servers.majorVersion());
    List<Contender> contenders =
        Stream.of(arguments.text("jobs").split(","))
            .map(Integer::parseInt)
            .flatMap(
                jobs -> contenders(arguments, servers, tables, keyed, empty, jobs, peers).stream())
            .toList();
    List<Result> results = new ArrayList<>();
    contenders.forEach(each -> results.add(new Result(each.name(), new ArrayList<>())));
    for (int run = 1; run <= arguments.count("runs"); run++) {
      for (int i = 0; i < contenders.size(); i++) {
        Measurement measured = measure(servers, source, contenders.get(i), tables);
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
    for (Database database : List.of(source, keyed, empty)) {
      ServerPair.drop(database);
    }
    out.println();
    for (Peer peer : peers) {
      peer.obstacle().ifPresent(why -> out.println(peer.name() + ": not measured, " + why));
    }
    out.println(
        Conditions.of(
            servers,
            "%d tables of %,d rows (%s), CommitRate %,d"
                .formatted(
                    tables.count(),
                    tables.rows(),
                    arguments.text("kind"),
                    arguments.count("commit"))));
    out.println();
    out.print(Result.table(results, results.get(0)));
  }

  private static List<Peer> peers(int major) throws InterruptedException {
    return List.of(
        new Peer("pg_dump, pg_restore", DumpAndRestore.obstacle(major), DumpAndRestore::copy),
        new Peer("pgcopydb", PgCopyDb.obstacle(major), PgCopyDb::copy));
  }

  private static List<Contender> contenders(
      Arguments arguments,
      ServerPair servers,
      LoadedTables tables,
      Database keyed,
      Database empty,
      int jobs,
      List<Peer> peers) {
    SluiceLoad load =
        new SluiceLoad(
            tables.names(),
            jobs,
            arguments.count("commit"),
            DataSize.ofMebibytes(arguments.count("segment")));
    List<Contender> contenders = new ArrayList<>();
    contenders.add(
        new Contender(
            (keyed.isMariadb() ? "rows: COPY into LOAD DATA, pipes " : "rows: COPY, pipes ") + jobs,
            keyed,
            (from, to) -> CopyPipes.copy(from, to, tables.names(), jobs)));
    contenders.add(new Contender("rows: Sluice, workers " + jobs, keyed, load::rows));
    contenders.add(new Contender("all: Sluice, workers " + jobs, empty, load::all));
    for (Peer peer : peers) {
      if (peer.obstacle().isEmpty()) {
        contenders.add(
            new Contender(
                "all: " + peer.name() + ", jobs " + jobs,
                empty,
                (from, to) -> peer.copy().run(from, to, servers.newFolder("peer"), jobs)));
      }
    }
    return contenders;
  }

  private static Measurement measure(
      ServerPair servers, Database source, Contender contender, LoadedTables tables)
      throws Exception {
    Database target = ServerPair.copy(contender.into(), "target_load");
    double cpu = cpu(servers);
    double targetCpu = servers.targetCpu();
    long started = System.nanoTime();
    contender.copy().run(source, target);
    Duration wall = Duration.ofNanos(System.nanoTime() - started);
    Measurement measured =
        new Measurement(
            tables.allRows(), wall, cpu(servers) - cpu, servers.targetCpu() - targetCpu);
    Digest.requireEqual(contender.name(), source, target, tables.names());
    ServerPair.drop(target);
    return measured;
  }

  private static double cpu(ServerPair servers) {
    return CpuTime.ofThisProcess()
        + CpuTime.ofEndedChildren()
        + servers.sourceCpu()
        + servers.targetCpu();
  }
}
