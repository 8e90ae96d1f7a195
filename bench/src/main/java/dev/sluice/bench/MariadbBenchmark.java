package dev.sluice.bench;

import dev.sluice.bench.mariadb.MariadbTask;
import dev.sluice.bench.mariadb.PgLoader;
import dev.sluice.bench.mariadb.WrittenRows;
import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Loads tables of MariaDB into PostgreSQL, beside pgloader by turns, and brings a backlog of its
 * binary log to the target. Each time from the cold start of a process.
 */
public final class MariadbBenchmark implements Benchmark {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final List<String> OPTIONS = List.of("-Xmx2g");
  private static final String LOAD = "load: Sluice";
  private static final String PGLOADER = "load: pgloader";
  private static final String CHANGES = "changes: Sluice, whole path";

  public static void main(String... arguments) {
    Benchmark.main(new MariadbBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/mariadb: loads tables of MariaDB with Sluice and with pgloader where it is"
                + " installed, by turns, and brings a backlog of changes to the target")
        .withCount("rows", 2_000_000, "of all tables together")
        .withCount("tables", 2, "of the same size")
        .withCount("transactions", 200_000, "of the backlog, four changes each")
        .withCount("runs", 3, "of each contender");
  }

  @Override
  public void run(Arguments arguments, Servers servers, PrintStream out) throws Exception {
    try (EmbeddedMariadb mariadb = start(servers.newFolder("mariadb"))) {
      int tables = arguments.count("tables");
      WrittenRows rows = new WrittenRows(mariadb, tables, arguments.count("rows") / tables);
      rows.create();
      Map<String, Result> results = new LinkedHashMap<>();
      Optional<String> obstacle = PgLoader.obstacle();
      for (int run = 1; run <= arguments.count("runs"); run++) {
        Turn turn = new Turn(servers, mariadb, rows, run);
        note(results, LOAD, turn.load(), out);
        if (obstacle.isEmpty()) {
          note(results, PGLOADER, turn.pgLoader(), out);
        }
        note(results, CHANGES, turn.changes(arguments.count("transactions")), out);
      }
      obstacle.ifPresent(why -> out.println("pgloader: not measured, " + why));
      out.println();
      out.println(
          Conditions.of(
              servers,
              "source MariaDB %s (sync_binlog 0, innodb_flush_log_at_trx_commit %s), %d tables of %,d rows as sysbench's"
                  .formatted(
                      variable(mariadb, "version"),
                      variable(mariadb, "innodb_flush_log_at_trx_commit"),
                      tables,
                      arguments.count("rows") / tables)));
      out.println();
      out.print(Result.table(List.copyOf(results.values()), results.get(LOAD)));
    }
  }

  private static EmbeddedMariadb start(Path folder) throws SQLException {
    EmbeddedMariadb mariadb =
        EmbeddedMariadb.builder()
            .directory(folder)
            .setting("innodb-buffer-pool-size", "1G")
            .setting("innodb-log-file-size", "1G")
            .start();
    try (Connection connection = mariadb.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "GRANT ALL ON *.* TO %s@'%%' IDENTIFIED BY '%s'"
              .formatted(MariadbTask.USER, MariadbTask.PASSWORD));
    }
    return mariadb;
  }

  private static String variable(EmbeddedMariadb mariadb, String name) throws SQLException {
    try (Connection connection = mariadb.connect()) {
      return Database.single(connection, "SELECT @@" + name);
    }
  }

  private static void note(
      Map<String, Result> results, String contender, Measurement measured, PrintStream out) {
    results
        .computeIfAbsent(contender, name -> new Result(name, new ArrayList<>()))
        .runs()
        .add(measured);
    out.println(
        String.format(
            Locale.ROOT,
            "%s: %,.0f rows/s, %.1f s, %.1f CPU s per million; tables equal",
            contender,
            measured.changesPerSecond(),
            measured.wall().toMillis() / 1e3,
            measured.cpuSecondsPerMillion()));
  }

  /** The runs of one turn, each into a database of its own, which the next one drops. */
  private record Turn(Servers servers, EmbeddedMariadb mariadb, WrittenRows rows, int number) {

    Measurement load() throws Exception {
      return measure("loaded", rows.count(), this::sluiceLoad);
    }

    Measurement pgLoader() throws Exception {
      return measure("pgloaded", rows.count(), (target) -> PgLoader.copy(mariadb, target));
    }

    private void sluiceLoad(Database target) throws Exception {
      MariadbTask task = new MariadbTask(mariadb, target, Optional.empty());
      try (SluiceDaemon daemon = SluiceDaemon.start(servers.newFolder("load"), task, OPTIONS)) {
        daemon.awaitEnd(LIMIT);
      }
    }

    /** One way to copy the tables. */
    private interface Copy {
      void into(Database target) throws Exception;
    }

    private Measurement measure(String name, long count, Copy copy) throws Exception {
      Database target = Servers.create(servers.target(name + number));
      double before = cpu();
      double targetBefore = servers.targetCpu();
      long start = System.nanoTime();
      copy.into(target);
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      Measurement measured =
          new Measurement(count, wall, cpu() - before, servers.targetCpu() - targetBefore);
      rows.requireEqual(name, target);
      Servers.drop(target);
      return measured;
    }

    /** Of both servers, and of programs that have ended. */
    private double cpu() {
      return CpuTime.ofTree(mariadb.pid()) + servers.targetCpu() + CpuTime.ofEndedChildren();
    }

    Measurement changes(int transactions) throws Exception {
      Database target = Servers.create(servers.target("changed" + number));
      sluiceLoad(target);
      String from = rows.endOfLog();
      long changes = rows.write(transactions);
      double before = CpuTime.ofTree(mariadb.pid()) + servers.targetCpu();
      double targetBefore = servers.targetCpu();
      long start = System.nanoTime();
      MariadbTask task = new MariadbTask(mariadb, target, Optional.of(from));
      Measurement measured;
      try (SluiceDaemon daemon = SluiceDaemon.start(servers.newFolder("changes"), task, OPTIONS);
          Connection source = mariadb.connect();
          Connection copy = target.connect()) {
        daemon.await("the end of the backlog to come", LIMIT, () -> rows.hasArrived(source, copy));
        Duration wall = Duration.ofNanos(System.nanoTime() - start);
        double cpu =
            CpuTime.ofTree(mariadb.pid()) + servers.targetCpu() + CpuTime.ofTree(daemon.pid());
        measured = new Measurement(changes, wall, cpu - before, servers.targetCpu() - targetBefore);
      }
      rows.requireEqual("changes", target);
      Servers.drop(target);
      return measured;
    }
  }
}
