package dev.sluice.bench;

import dev.sluice.bench.mariadb.CopyTurn;
import dev.sluice.bench.mariadb.MariadbTask;
import dev.sluice.bench.mariadb.MeasuredCapture;
import dev.sluice.bench.mariadb.OrderEntry;
import dev.sluice.bench.mariadb.PgLoader;
import dev.sluice.bench.mariadb.SourceWorkload;
import dev.sluice.bench.mariadb.WrittenRows;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.run.Result;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedReplica;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import dev.sluice.embedded.mariadb.MysqlReplica;
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
 * Loads tables of MariaDB or MySQL into PostgreSQL, beside pgloader and files by turns, and brings
 * a backlog of its binary log to the target, each time from the cold start of a process. Then
 * captures a backlog into a journal, beside Debezium's connector by turns, in this process, and
 * lets a replica of the source apply one.
 */
public final class MariadbBenchmark implements Benchmark {
  private static final String MARIADB = "mariadb";
  private static final String SYSBENCH = "sysbench";
  private static final String LOAD = "load: Sluice";
  private static final String PGLOADER = "load: pgloader";
  private static final String CHANGES = "changes: Sluice, whole path";
  private static final String CAPTURE = "capture: Sluice";
  private static final String DEBEZIUM = "capture: Debezium's connector";
  private static final String FILES = "load: files and COPY by hand";
  private static final String REPLICA = "a replica of the source: reads, applies, logs";

  /** Rows that the captured changes are of: Debezium's connector takes a snapshot of them first. */
  private static final int CAPTURED_ROWS = 20_000;

  public static void main(String... arguments) {
    Benchmark.main(new MariadbBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/mariadb: loads tables of MariaDB with Sluice and with pgloader where it is"
                + " installed, and by files, by turns, brings a backlog of changes to the target, and captures"
                + " one by Sluice and by Debezium's connector")
        .with(
            "source",
            MARIADB,
            "mariadb|mysql",
            "the server; MySQL is the one that CONTRIBUTING names, and has no peers but its replica")
        .withCount("rows", 2_000_000, "of all tables together")
        .withCount("tables", 2, "of the same size")
        .withCount("transactions", 200_000, "of the backlog; sysbench's have four changes each")
        .with(
            "workload",
            SYSBENCH,
            "sysbench|tpcc",
            "the tables and transactions; with tpcc a load has no peers, and tables is not used")
        .with(
            "parts",
            "load,changes,capture",
            "(load|changes|capture)(,(load|changes|capture))*",
            "what is measured")
        .withCount("runs", 3, "of each contender");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    boolean isMariadb = arguments.text("source").equals(MARIADB);
    try (EmbeddedServer source =
            isMariadb
                ? startMariadb(servers.newFolder("mariadb"))
                : startMysql(servers.newFolder("mysql"));
        EmbeddedBroker broker = EmbeddedBroker.start(servers.newFolder("kafka"))) {
      SourceWorkload rows = workload(arguments, source, "bench", arguments.count("rows"));
      rows.create();
      SourceWorkload captured =
          workload(arguments, source, "captured", Math.min(CAPTURED_ROWS, arguments.count("rows")));
      captured.create();
      List<String> parts = List.of(arguments.text("parts").split(","));
      Results copies = new Results(out);
      Results captures = new Results(out);
      Optional<String> obstacle =
          isMariadb ? PgLoader.obstacle() : Optional.of("the source is MySQL");
      for (int run = 1; run <= arguments.count("runs"); run++) {
        if (parts.contains("load") || parts.contains("changes")) {
          CopyTurn turn = new CopyTurn(servers, source, rows, run);
          Database target = ServerPair.create(servers.target("loaded" + run));
          Measurement load = turn.load(target);
          if (parts.contains("load")) {
            copies.note(LOAD, load);
            if (isMariadb && rows instanceof WrittenRows tables) {
              if (obstacle.isEmpty()) {
                copies.note(PGLOADER, turn.pgLoader());
              }
              copies.note(FILES, turn.dumpedFiles(tables));
            }
          }
          if (parts.contains("changes")) {
            copies.note(CHANGES, turn.changes(target, arguments.count("transactions")));
          }
          ServerPair.drop(target);
        }
        if (parts.contains("capture")) {
          capture(broker, captured, run, arguments.count("transactions")).forEach(captures::note);
          captures.note(REPLICA, replicate(captured, arguments.count("transactions")));
        }
      }
      obstacle.ifPresent(why -> out.println("pgloader: not measured, " + why));
      out.println();
      out.println(
          Conditions.of(
              servers,
              "source %s %s (sync_binlog 0, innodb_flush_log_at_trx_commit %s), %s"
                  .formatted(
                      isMariadb ? "MariaDB" : "MySQL",
                      variable(source, "version"),
                      variable(source, "innodb_flush_log_at_trx_commit"),
                      rows.description())));
      out.println();
      copies.print();
      captures.print();
    }
  }

  /**
   * @param rows of all its tables, about
   */
  private static SourceWorkload workload(
      Arguments arguments, EmbeddedServer source, String database, int rows) {
    int tables = arguments.count("tables");
    return arguments.text("workload").equals(SYSBENCH)
        ? new WrittenRows(source, database, tables, rows / tables)
        : new OrderEntry(source, database, rows);
  }

  /** Each capture of one backlog, each into a journal of its own. */
  private static Map<String, Measurement> capture(
      EmbeddedBroker broker, SourceWorkload rows, int run, int transactions)
      throws SQLException, InterruptedException {
    Map<String, MeasuredCapture> captures = new LinkedHashMap<>();
    if (rows.server() instanceof EmbeddedMariadb) {
      captures.put(
          DEBEZIUM,
          MeasuredCapture.byDebezium(
              rows.server(), broker, rows.database(), "debezium-" + run, rows.countWithLast()));
    }
    captures.put(
        CAPTURE, MeasuredCapture.bySluice(rows.server(), broker, rows.database(), "sluice-" + run));
    long changes = rows.write(transactions);
    Map<String, Measurement> measured = new LinkedHashMap<>();
    for (Map.Entry<String, MeasuredCapture> each : captures.entrySet()) {
      measured.put(each.getKey(), each.getValue().capture(changes));
    }
    return measured;
  }

  /**
   * A replica, which applies the changes of a backlog to its tables and logs them itself. It is
   * made for this run, and has all before it.
   */
  private static Measurement replicate(SourceWorkload rows, int transactions) throws SQLException {
    EmbeddedServer made =
        (rows.server() instanceof EmbeddedMysql
                ? MysqlReplica.settings(2)
                : MariadbReplica.settings(2))
            .setting("innodb-buffer-pool-size", "1G")
            .start();
    try (EmbeddedReplica replica = EmbeddedReplica.of(rows.server(), made)) {
      replica.awaitCaughtUp();
      replica.pause();
      long changes = rows.write(transactions);
      double before = CpuTime.ofTree(made.pid()) + CpuTime.ofTree(rows.server().pid());
      long begun = System.nanoTime();
      replica.resume();
      replica.awaitCaughtUp();
      Duration wall = Duration.ofNanos(System.nanoTime() - begun);
      double after = CpuTime.ofTree(made.pid()) + CpuTime.ofTree(rows.server().pid());
      return new Measurement(changes, wall, after - before, 0);
    }
  }

  private static EmbeddedServer startMysql(Path folder) {
    if (!EmbeddedMysql.isAvailable()) {
      throw new IllegalArgumentException(EmbeddedMysql.MISSING);
    }
    return EmbeddedMysql.builder()
        .directory(folder)
        .setting("innodb-buffer-pool-size", "1G")
        .setting("innodb-redo-log-capacity", "1G")
        .start();
  }

  private static EmbeddedServer startMariadb(Path folder) throws SQLException {
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

  private static String variable(EmbeddedServer source, String name) throws SQLException {
    try (Connection connection = source.connect()) {
      return Database.single(connection, "SELECT @@" + name);
    }
  }

  /** Those of contenders that are held against each other. */
  private record Results(PrintStream out, Map<String, Result> all) {
    private Results(PrintStream out) {
      this(out, new LinkedHashMap<>());
    }

    private void note(String contender, Measurement measured) {
      all.computeIfAbsent(contender, name -> new Result(name, new ArrayList<>()))
          .runs()
          .add(measured);
      out.println(
          String.format(
              Locale.ROOT,
              "%s: %,.0f rows/s, %.1f s, %.1f CPU s per million",
              contender,
              measured.changesPerSecond(),
              measured.wall().toMillis() / 1e3,
              measured.cpuSecondsPerMillion()));
    }

    private void print() {
      if (!all.isEmpty()) {
        List<Result> results = List.copyOf(all.values());
        out.println(Result.table(results, results.get(0)));
      }
    }
  }
}
