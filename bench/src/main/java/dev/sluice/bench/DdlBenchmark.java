package dev.sluice.bench;

import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.run.Conditions;
import dev.sluice.bench.run.MedianSpread;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.DdlStatement;
import dev.sluice.config.TableId;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures the application's DDL with the event triggers of a task and without them. */
public final class DdlBenchmark implements Benchmark {
  private static final String TASK = "ddl";

  /** Warm-up statements: the first ones of a session read the catalog. */
  private static final int UNTIMED = 3;

  public static void main(String... arguments) {
    Benchmark.main(new DdlBenchmark(), arguments);
  }

  @Override
  public Arguments arguments() {
    return new Arguments(
            "bench/ddl: times DDL on a source without and with the event triggers of a task that"
                + " follows all its tables, by turns")
        .withCount("tables", 2_000, "of the database, beside the partitions")
        .withCount("partitions", 1_000, "of one root")
        .withCount("statements", 40, "of each kind in a run, on the root a tenth of them")
        .withCount("runs", 3, "of each");
  }

  @Override
  public void run(Arguments arguments, ServerPair servers, PrintStream out) throws Exception {
    int tables = arguments.count("tables");
    List<String> setup = DdlStatement.tables(tables, arguments.count("partitions"));
    Database without = ServerPair.create(servers.source("ddl_without"));
    Database with = ServerPair.create(servers.source("ddl_with"));
    without.execute(setup);
    with.execute(setup);
    follow(with);
    List<DdlStatement> kinds = DdlStatement.all(Math.min(tables, arguments.count("statements")));
    List<List<Double>> bare = lists(kinds.size());
    List<List<Double>> watched = lists(kinds.size());
    for (int run = 1; run <= arguments.count("runs"); run++) {
      for (int kind = 0; kind < kinds.size(); kind++) {
        bare.get(kind).addAll(time(without, kinds.get(kind)));
        watched.get(kind).addAll(time(with, kinds.get(kind)));
      }
      out.printf("run %d done%n", run);
    }
    ServerPair.drop(without);
    ServerPair.drop(with);
    out.println();
    out.println(
        Conditions.of(
            servers,
            String.format(
                Locale.ROOT,
                "%,d tables and a root with %,d partitions",
                tables,
                arguments.count("partitions"))));
    out.println();
    out.println("| statement | without triggers, ms | with them, ms | ratio |");
    out.println("| --- | --- | --- | --- |");
    for (int kind = 0; kind < kinds.size(); kind++) {
      MedianSpread one = MedianSpread.of(bare.get(kind), milliseconds -> milliseconds);
      MedianSpread other = MedianSpread.of(watched.get(kind), milliseconds -> milliseconds);
      out.printf(
          Locale.ROOT,
          "| %s | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) | %.1f |%n",
          kinds.get(kind).name(),
          one.median(),
          one.least(),
          one.most(),
          other.median(),
          other.least(),
          other.most(),
          other.median() / one.median());
    }
  }

  /**
   * As a daemon does before it creates its slot; here there is no slot, and nothing reads the log.
   */
  private static void follow(Database database) {
    PostgresSource source =
        new PostgresSource(
            TASK,
            new PostgresConfig(
                new Endpoint(
                    "127.0.0.1",
                    database.port(),
                    database.name(),
                    Database.USER,
                    Secret.NONE,
                    Map.of()),
                TASK,
                TASK,
                false,
                false));
    SourceCatalog catalog = source.catalog(table -> true);
    source
        .definitionTrigger()
        .install()
        .ifPresent(
            reason -> {
              throw new IllegalStateException("no event triggers: " + reason);
            });
    source.capturedTables().include(catalog);
    List<TableId> followed = catalog.tables().stream().map(CatalogTable::table).toList();
    List<SelectionPattern> all =
        List.of(new SelectionPattern(SelectionPattern.Says.INCLUDED, "public", ".*"));
    source.definitionTrigger().register(TASK, true, all, followed);
  }

  private static List<Double> time(Database database, DdlStatement kind) throws SQLException {
    List<Double> milliseconds = new ArrayList<>();
    try (Connection shared = database.connect()) {
      int untimed = kind.freshSession() ? 0 : UNTIMED;
      for (int i = 0; i < kind.times() + untimed; i++) {
        // The first tables once more: their number is no larger than that of the statements.
        int number = i % kind.times();
        try (Connection own = kind.freshSession() ? database.connect() : null;
            Statement statement = (own == null ? shared : own).createStatement()) {
          long start = System.nanoTime();
          statement.execute(kind.timed().apply(number));
          double took = (System.nanoTime() - start) / 1e6;
          if (i >= untimed) {
            milliseconds.add(took);
          }
          statement.execute(kind.undo().apply(number));
        }
      }
    }
    return milliseconds;
  }

  private static List<List<Double>> lists(int size) {
    List<List<Double>> lists = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }
}
