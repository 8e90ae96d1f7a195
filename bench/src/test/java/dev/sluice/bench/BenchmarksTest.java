package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.peer.TypedCommand;
import dev.sluice.bench.run.Benchmark;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each benchmark in its smallest size: it comes to its end, has found the tables equal, and prints
 * the figures of every contender. Nothing is said of the figures.
 */
class BenchmarksTest {
  @TempDir static Path libraries;
  private static ServerPair servers;

  @BeforeAll
  static void start() throws Exception {
    StartArchive.make(libraries)
        .ifPresent(archive -> System.setProperty(SluiceDaemon.ARCHIVE, archive.toString()));
    servers = ServerPair.start();
  }

  @AfterAll
  static void stop() {
    servers.close();
    System.clearProperty(SluiceDaemon.ARCHIVE);
  }

  @Test
  void theWholePathAndTheSinkAloneDrainTheSameBacklog() throws Exception {
    String printed = run(new DrainBenchmark(), "scale=1", "transactions=250", "runs=1");
    assertThat(printed)
        .contains("4 tables equal")
        .containsPattern("\\| PostgreSQL's logical replication \\| [0-9]")
        .containsPattern("\\| Sluice, whole path \\| [0-9]")
        .containsPattern("\\| Sluice, apply of the filled journal \\| [0-9]");
  }

  @Test
  void applyPrintsATableForEachShape() throws Exception {
    String printed =
        run(new ApplyBenchmark(), "shapes=insert-only,many-tables", "size=0.0005", "runs=1");
    assertThat(printed)
        .contains("1 tables equal", "5 tables equal", "processors")
        .containsPattern("\\| PostgreSQL's logical replication \\| [0-9]")
        .containsPattern("\\| Sluice, apply of the filled journal \\| [0-9]");
  }

  @Test
  void theJdbcSinkIsMeasuredWithUnnestAndWithout() throws Exception {
    String printed = run(new JdbcSinkBenchmark(), "size=0.0005", "batch=500", "poll=500", "runs=1");
    assertThat(printed)
        .contains("3.6.0.Final")
        .containsPattern("\\| Debezium's JDBC sink \\| [0-9]")
        .containsPattern("\\| Debezium's JDBC sink, UNNEST \\| [0-9]")
        .containsPattern("\\| Sluice, apply of the filled journal \\| [0-9]");
  }

  @Test
  void startAndLoadAreMeasuredWithTheCommandAsItIsTyped() throws Exception {
    assumeTrue(
        TypedCommand.launcher().filter(BenchmarksTest::isBuilt).isPresent(),
        "the launcher would build this checkout first");
    String printed = run(new ColdBenchmark(), "backlog=20", "rows=2000", "runs=1");
    assertThat(printed)
        .containsPattern("\\| with the archive of classes \\| [0-9]")
        .containsPattern("\\| with Java's own archive alone \\| [0-9]")
        .containsPattern("\\| sluice run \\| [0-9]");
  }

  private static boolean isBuilt(Path launcher) {
    return Files.exists(launcher.resolveSibling(".builds").resolve("current"));
  }

  @Test
  void theLoadIsMeasuredBesidePipesWithOneJobAndMore() throws Exception {
    String printed =
        run(
            new LoadBenchmark(),
            "rows=30000",
            "tables=3",
            "kind=integers",
            "jobs=1,2",
            "segment=1",
            "commit=500",
            "runs=1");
    assertThat(printed)
        .containsPattern("\\| rows: COPY, pipes 2 \\| [0-9]")
        .containsPattern("\\| rows: Sluice, workers 1 \\| [0-9]")
        .containsPattern("\\| all: Sluice, workers 2 \\| [0-9]");
  }

  @Test
  void mariadbAsTheTargetIsLoadedAndAppliedToBesideItsPeers() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (ServerPair toMariadb = ServerPair.start(PostgresVersion.NEWEST, Database.Kind.MARIADB)) {
      assertThat(
              SmallestRun.of(
                  new JdbcSinkBenchmark(),
                  toMariadb,
                  "shape=many-tables",
                  "size=0.0005",
                  "batch=500",
                  "poll=500",
                  "runs=1"))
          .contains("target MariaDB", "5 tables equal")
          .containsPattern("\\| Debezium's JDBC sink \\| [0-9]")
          .containsPattern("\\| Debezium's JDBC sink, bulk protocol \\| [0-9]")
          .containsPattern("\\| Sluice, apply of the filled journal \\| [0-9]");
      assertThat(SmallestRun.of(new LoadBenchmark(), toMariadb, "rows=2000", "jobs=1,2", "runs=1"))
          .containsPattern("\\| rows: COPY into LOAD DATA, pipes 2 \\| [0-9]")
          .containsPattern("\\| rows: Sluice, workers 1 \\| [0-9]")
          .containsPattern("\\| all: Sluice, workers 2 \\| [0-9]");
    }
  }

  @Test
  void mariadbIsLoadedAndFollowed() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    String printed =
        run(new MariadbBenchmark(), "rows=2000", "tables=2", "transactions=40", "runs=1");
    assertThat(printed)
        .contains("source MariaDB")
        .containsPattern("\\| load: Sluice \\| [0-9]")
        .containsPattern("\\| changes: Sluice, whole path \\| [0-9]")
        .containsPattern("\\| capture: Sluice \\| [0-9]")
        .containsPattern("\\| capture: Debezium's connector \\| [0-9]");
  }

  @Test
  void ordersAndPaymentsOfMariadbAreLoadedAndFollowed() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    String printed =
        run(
            new MariadbBenchmark(),
            "workload=tpcc",
            "parts=load,changes",
            "rows=400",
            "transactions=30",
            "runs=1");
    assertThat(printed)
        .contains("nine tables as TPC-C's")
        .containsPattern("\\| load: Sluice \\| [0-9]")
        .containsPattern("\\| changes: Sluice, whole path \\| [0-9]")
        .doesNotContain("files and COPY");
  }

  @Test
  void watchingIsMeasuredByTurns() throws Exception {
    String printed =
        run(
            new OperationsBenchmark(),
            "tables=20",
            "changes=200",
            "warmup=0.2",
            "seconds=3",
            "runs=1");
    assertThat(printed)
        .contains("All tables are equal.", "20 tables, 200 changes/s")
        .containsPattern("\\| nobody watches \\| [0-9.]+ \\(")
        .containsPattern("\\| a page is open \\| [0-9.]+ \\(")
        .containsPattern("\\| scrapes every 15 s \\| [0-9.]+ \\(")
        .containsPattern("[1-9] statuses, [1-9]")
        .containsPattern("1 scrapes, [1-9]");
  }

  @Test
  void latencyIsMeasuredForBothContenders() throws Exception {
    String printed = run(new LatencyBenchmark(), "rate=100", "warmup=0.2", "seconds=1", "runs=1");
    assertThat(printed)
        .contains("tables equal")
        .containsPattern("\\| PostgreSQL's logical replication \\| [0-9.]+ \\(")
        .containsPattern("\\| Sluice \\| [0-9.]+ \\(");
  }

  @Test
  void aCutoverLosesNoAcknowledgedWrite() throws Exception {
    String printed =
        run(
            new CutoverBenchmark(),
            "contenders=sluice,script",
            "applications=2",
            "rate=50",
            "rehearsals=1",
            "cutovers=1",
            "budget=60",
            "stay=0.5",
            "warmup=0.5");
    assertThat(printed)
        .containsPattern("\\| Sluice \\| [0-9, ]+ .*\\| 0 \\|\\n")
        .containsPattern("\\| native replication and a script .*\\| 0 \\|");
  }

  @Test
  void theValidationFindsThePlantedFaultsAndNoOthers() throws Exception {
    assertThat(run(new ValidationBenchmark(), "parts=soak", "rate=20", "seconds=0.1", "faults=30"))
        .contains("together 30 planted, 30 found, 0 invented", "0 left after another pass");
  }

  @Test
  void aPassOfTheValidationIsTimed() throws Exception {
    assertThat(run(new ValidationBenchmark(), "parts=pass", "rows=20000", "runs=1"))
        .containsPattern("\\| Sluice, `sluice validate`.* \\| [0-9]");
  }

  @Test
  void whatTheValidationCostsTheApplicationIsMeasured() throws Exception {
    assertThat(
            run(
                new ValidationBenchmark(),
                "parts=cost",
                "cost-seconds=0.5",
                "cost-rate=20",
                "runs=1"))
        .containsPattern("\\| validating all the time \\| [0-9]");
  }

  @Test
  void theDmsExperimentPrintsTheArticlesTableAndEachPhase() throws Exception {
    String printed =
        run(
            new DmsExperiment(),
            "tests=default",
            "seconds=1",
            "pause=0.1",
            "rate=20",
            "warehouses=1",
            "heap=512");
    assertThat(printed)
        .containsPattern("\\| Using default settings \\| [0-9]")
        .containsPattern("\\| default \\| 1 \\| ")
        .containsPattern("\\| default \\| 10 \\| ")
        .containsPattern("\\| default \\| 25 \\| ")
        .contains("tables equal");
  }

  @Test
  void memoryIsMeasuredForAHugeTransactionAndABacklog() throws Exception {
    String printed = run(new MemoryBenchmark(), "rows=5000", "minutes=0.01", "scale=1", "idle=0.5");
    assertThat(printed)
        .contains("tables equal")
        .containsPattern("\\| idle \\| [1-9]")
        .containsPattern("\\| one transaction of 5,000 rows \\| [1-9]")
        .containsPattern("\\| pgbench TPC-B.* \\| [1-9]");
  }

  @Test
  void importIsMeasuredByJobsAndBatchSizesAndDrawn(@TempDir Path folder) throws Exception {
    Path plot = folder.resolve("plot.svg");
    String printed =
        run(
            new ImportBenchmark(),
            "rows=3000",
            "jobs=1,2",
            "batches=100,1000",
            "runs=1",
            "plot=" + plot);
    assertThat(printed)
        .containsPattern("\\| CopyManager, one COPY \\| [0-9]")
        .containsPattern("\\| sluice import, 2 jobs, batches of 1,000 \\| [0-9]")
        .containsPattern("\\| 1,000 \\| [0-9,]+ \\| [0-9,]+ \\|");
    assertThat(Files.readString(plot)).startsWith("<svg").contains("polyline", "2 jobs");
  }

  @Test
  void copyManagerIsMeasuredBesideItsPeers() throws Exception {
    assertThat(run(new CopyManagerBenchmark(), "rows=500", "single=50", "batches=100", "runs=1"))
        .containsPattern("\\| INSERT row by row, a commit each \\| [0-9]")
        .containsPattern("\\| JDBC batches of 100 \\| [0-9]")
        .containsPattern("\\| CopyManager, one COPY \\| [0-9]")
        .containsPattern("\\| sluice import, 1 job, batches of 20,000 \\| [0-9]");
  }

  @Test
  void ddlIsTimedWithTheTriggersAndWithout() throws Exception {
    assertThat(run(new DdlBenchmark(), "tables=4", "partitions=3", "statements=2", "runs=1"))
        .containsPattern("\\| CREATE TEMPORARY TABLE \\| [0-9]")
        .containsPattern("\\| ADD COLUMN to the root of all partitions \\| [0-9]");
  }

  private static String run(Benchmark benchmark, String... arguments) throws Exception {
    return SmallestRun.of(benchmark, servers, arguments);
  }
}
