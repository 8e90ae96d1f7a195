package dev.sluice.bench;

import dev.sluice.bench.stage.StageAccount;
import dev.sluice.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/**
 * Drains one backlog of pgbench transactions again and again, by turns with PostgreSQL's own
 * logical replication, with Sluice (the whole path, from the daemon's start to the last row on the
 * target) and with Sluice's sink alone, out of a journal that was filled before. Source and target
 * are two servers on this machine; each run has a slot from before the backlog and a target
 * database as it was then. At the end of each run the tables are compared.
 *
 * <p>Arguments: scale, transactions, runs; 20, 500000 and 3 where they are left out.
 */
public final class DrainBenchmark {
  private static final String SOURCE = "bench_source";
  private static final String TEMPLATE = "bench_template";
  private static final String SETTINGS =
      "{ChangeProcessingTuning: {BatchApplyTimeoutMin: 1, BatchApplyMemoryLimit: 500}}";

  private final EmbeddedPostgres source;
  private final EmbeddedPostgres target;
  private final Backlog backlog;
  private final int runs;
  private final Path folder;

  private DrainBenchmark(
      EmbeddedPostgres source, EmbeddedPostgres target, Backlog backlog, int runs, Path folder) {
    this.source = source;
    this.target = target;
    this.backlog = backlog;
    this.runs = runs;
    this.folder = folder;
  }

  public static void main(String[] arguments) throws Exception {
    int scale = argument(arguments, 0, "scale", 20);
    int transactions = argument(arguments, 1, "transactions", 500_000);
    int runs = argument(arguments, 2, "runs", 3);
    Path folder = Files.createTempDirectory("sluice-bench-");
    try (EmbeddedPostgres source = server(folder.resolve("source"));
        EmbeddedPostgres target = server(folder.resolve("target"))) {
      new DrainBenchmark(source, target, new Backlog(scale, transactions), runs, folder).run();
    } finally {
      delete(folder);
    }
  }

  private static int argument(String[] arguments, int index, String name, int otherwise) {
    if (index >= arguments.length) {
      return otherwise;
    }
    if (!arguments[index].matches("[1-9][0-9]{0,8}")) {
      System.err.println(name + ": " + arguments[index] + "; expected a number from 1 on");
      System.exit(2);
    }
    return Integer.parseInt(arguments[index]);
  }

  private static EmbeddedPostgres server(Path directory) {
    return EmbeddedPostgres.builder()
        .directory(directory)
        .setting("shared_buffers", "512MB")
        .setting("max_wal_size", "8GB")
        .setting("max_replication_slots", "40")
        .setting("autovacuum", "off")
        .start();
  }

  private void run() throws Exception {
    prepare();
    List<Measurement> sluice = new ArrayList<>();
    List<Measurement> peer = new ArrayList<>();
    List<Measurement> applied = new ArrayList<>();
    try (FilledJournal journal =
        FilledJournal.fill(folder.resolve("journal"), sourceDatabase(), "journal", backlog)) {
      System.out.printf(
          "journal filled in %.1f s, %,.0f changes/s%n",
          journal.captured().toMillis() / 1e3,
          backlog.changes() / (journal.captured().toMillis() / 1e3));
      for (int run = 1; run <= runs; run++) {
        peer.add(drainNatively(run));
        sluice.add(drainWithSluice(run));
        applied.add(drainJournal(journal, run));
      }
    }
    System.out.printf(
        "%nTPC-B, scale %d, %,d changes in %,d transactions, %d processors%n%n",
        backlog.scale(),
        backlog.changes(),
        backlog.transactions(),
        Runtime.getRuntime().availableProcessors());
    System.out.println(Measurement.header());
    System.out.println(Measurement.row("PostgreSQL's logical replication", peer));
    System.out.println(Measurement.row("Sluice, whole path", sluice));
    System.out.println(Measurement.row("Sluice, apply of the filled journal", applied));
    double nativeRate = Measurement.median(peer, Measurement::changesPerSecond);
    System.out.printf(
        "%nwhole path / native: %.2f; apply / native: %.2f%n",
        Measurement.median(sluice, Measurement::changesPerSecond) / nativeRate,
        Measurement.median(applied, Measurement::changesPerSecond) / nativeRate);
  }

  private void prepare() throws SQLException, InterruptedException {
    source.createDatabase(SOURCE);
    target.createDatabase(TEMPLATE);
    try (Connection connection = source.connect(SOURCE)) {
      Backlog.createTables(connection);
      backlog.fillTables(connection);
      backlog.publish(connection);
      NativeReplication.createSlot(connection, "journal");
      for (int run = 1; run <= runs; run++) {
        NativeReplication.createSlot(connection, "native_" + run);
        NativeReplication.createSlot(connection, "sluice_" + run);
      }
    }
    try (Connection connection = target.connect(TEMPLATE)) {
      Backlog.createTables(connection);
      backlog.fillTables(connection);
    }
    long start = System.nanoTime();
    backlog.write(sourceDatabase());
    System.out.printf(
        "backlog of %,d changes written in %.1f s%n",
        backlog.changes(), (System.nanoTime() - start) / 1e9);
  }

  private Measurement drainNatively(int run) throws SQLException, InterruptedException {
    Database database = freshTarget("native_" + run);
    Measurement measurement =
        NativeReplication.drain(sourceDatabase(), database, "native_" + run, backlog, serversCpu());
    finish("native", Optional.of("native_" + run), database, measurement);
    return measurement;
  }

  private Measurement drainWithSluice(int run) throws Exception {
    Database database = freshTarget("sluice_" + run);
    DoubleSupplier servers = serversCpu();
    double before = servers.getAsDouble();
    StageAccount stagesBefore = StageAccount.beforeDaemon(source.pid(), target.pid());
    StageAccount stages;
    long start = System.nanoTime();
    Measurement measurement;
    try (SluiceDaemon daemon =
            SluiceDaemon.start(
                folder.resolve("sluice_" + run),
                "bench" + run,
                sourceDatabase(),
                database,
                "sluice_" + run,
                SETTINGS);
        Connection connection = database.connect()) {
      while (!Backlog.hasArrived(connection)) {
        daemon.requireAlive();
        Thread.sleep(20);
      }
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      double cpu = servers.getAsDouble() - before + CpuTime.ofTree(daemon.pid());
      measurement = new Measurement(backlog.changes(), wall, cpu);
      stages = StageAccount.now(daemon.pid(), source.pid(), target.pid()).since(stagesBefore);
    }
    System.out.println(stages.table(backlog.changes()));
    finish("Sluice", Optional.of("sluice_" + run), database, measurement);
    return measurement;
  }

  private Measurement drainJournal(FilledJournal journal, int run)
      throws SQLException, InterruptedException {
    Database database = freshTarget("journal_" + run);
    long targetServer = target.pid();
    Measurement measurement =
        journal.drain(
            database, backlog, () -> CpuTime.ofTree(targetServer) + CpuTime.ofThisProcess());
    finish("apply", Optional.empty(), database, measurement);
    return measurement;
  }

  /** Compares the tables, frees slot and database, says how it went. */
  private void finish(
      String name, Optional<String> slot, Database database, Measurement measurement)
      throws SQLException, InterruptedException {
    try (Connection from = sourceDatabase().connect();
        Connection to = database.connect()) {
      String expected = Backlog.digest(from);
      String met = Backlog.digest(to);
      if (!expected.equals(met)) {
        throw new IllegalStateException(
            name + " left other rows.\nSource:\n" + expected + "Target:\n" + met);
      }
    }
    System.out.printf(
        "%-8s %,10.0f rows/s, %.1f s, equal%n",
        name, measurement.changesPerSecond(), measurement.wall().toMillis() / 1e3);
    if (slot.isPresent()) {
      try (Connection connection = sourceDatabase().connect()) {
        dropSlot(connection, slot.get());
      }
    }
    try (Connection connection = target.connect()) {
      Backlog.execute(connection, "DROP DATABASE " + database.name() + " WITH (FORCE)");
    }
  }

  private static void dropSlot(Connection connection, String slot)
      throws SQLException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        Backlog.execute(connection, "SELECT pg_drop_replication_slot('" + slot + "')");
        return;
      } catch (SQLException e) {
        if (attempt == 50) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
  }

  private Database freshTarget(String name) throws SQLException {
    try (Connection connection = target.connect()) {
      Backlog.execute(
          connection,
          "CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE + " STRATEGY FILE_COPY",
          "CHECKPOINT");
    }
    return new Database(target.port(), name);
  }

  private Database sourceDatabase() {
    return new Database(source.port(), SOURCE);
  }

  private DoubleSupplier serversCpu() {
    long one = source.pid();
    long other = target.pid();
    return () -> CpuTime.ofTree(one) + CpuTime.ofTree(other);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
