package dev.sluice.engine.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.engine.Sql;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The target crashes and comes back without its last commits, under a role that has the rights
 * which the documentation names and no others. The table has no key, so a row that came twice would
 * stay.
 */
class ImportCrashTest {
  private static final String DATABASE = "crashed";
  private static final int ROWS = 60_000;
  private static final int BAD_EACH = 997;
  private static final int BATCHES_BEFORE_CRASH = 30;

  @TempDir Path home;

  private EmbeddedPostgres target;

  @AfterEach
  void endProcesses() throws InterruptedException {
    ImportProcess.endAll();
  }

  @ParameterizedTest
  @EnumSource(PostgresVersion.class)
  void whatTheTargetLostIsLoadedAgainAndNothingTwice(PostgresVersion version) throws Exception {
    assumeTrue(version.isAvailable(), "no PostgreSQL is installed here");
    EmbeddedPostgres.Builder server =
        EmbeddedPostgres.builder()
            .version(version)
            .directory(home.resolve("target"))
            .setting("wal_buffers", "16MB")
            // Whoever writes a page to disk writes the log up to it before.
            .setting("bgwriter_lru_maxpages", "0")
            .setting("checkpoint_timeout", "1d")
            .setting("autovacuum", "off");
    target = server.start();
    try {
      makeTables();
      Path folder = writeFiles();

      Process process;
      long lost;
      Connection gate = closedGate(1);
      try {
        process = ImportProcess.start(task(0), folder, home.resolve("out"));
        lost = crashDuringTheImport(process);
        signal("CONT", process.pid());
      } finally {
        gate.close();
      }
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).as(output()).isEqualTo(1);
      assertThat(output()).contains("sluice: ").doesNotContain("BUG", "\tat ");
      target = server.port(target.port()).start();
      lost -= batches();

      gate = closedGate(2);
      try {
        process = ImportProcess.start(task(-1), folder, home.resolve("out"));
        lost += crashDuringTheImport(process);
      } finally {
        gate.close();
      }
      target = server.port(target.port()).start();
      // It continues only after the lost rows are counted.
      lost -= batches();
      signal("CONT", process.pid());
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).as(output()).isEqualTo(3);
      assertThat(output()).contains("; again in 1 s");

      assertThat(lost).as("batches that were committed and lost").isPositive();
      assertThat(
              Sql.text(
                  target, DATABASE, "SELECT count(*) || ' ' || count(DISTINCT id) FROM shop.child"))
          .isEqualTo("%d %1$d".formatted(ROWS - expectedBadRows().length));
      assertThat(Sql.text(target, DATABASE, "SELECT count(*) FROM shop.parent")).isEqualTo("10");
      assertThat(
              Files.readAllLines(folder.resolve("shop.child.csv.bad")).stream()
                  .filter(line -> !line.startsWith("#"))
                  .mapToInt(line -> Integer.parseInt(line.substring(0, line.indexOf(','))))
                  .sorted())
          .containsExactly(IntStream.of(expectedBadRows()).boxed().toArray(Integer[]::new));
    } finally {
      target.close();
    }
  }

  /** While it is open no row of that third of the file, counted from 0, comes in. */
  private Connection closedGate(int third) throws SQLException {
    Connection gate = target.connect(DATABASE);
    Sql.execute(gate, "SELECT pg_advisory_lock(" + third + ")");
    return gate;
  }

  /** The other table of the key is locked, so that the comparison waits for as long as it must. */
  @Test
  void theClosingComparisonOfForeignKeysIsMadeHoweverTheFirstOnesEnd() throws Exception {
    EmbeddedPostgres.Builder server = EmbeddedPostgres.builder().directory(home.resolve("target"));
    target = server.start();
    try {
      makeTables();
      try (Connection connection = target.connect(DATABASE)) {
        Sql.execute(connection, "INSERT INTO shop.parent SELECT generate_series(0, 8)");
        Sql.execute(connection, "CHECKPOINT");
      }
      Path folder = Files.createDirectory(home.resolve("files"));
      Files.writeString(folder.resolve("shop.child.csv"), "id,parent\n1,1\n2,9\n3,\n4,2\n");

      try (Connection locker = target.connect(DATABASE)) {
        lockParent(locker);
        Process killed = ImportProcess.start(task(-1), folder, home.resolve("out"));
        awaitComparison(killed);
        killed.destroyForcibly().waitFor();
      }
      Process process;
      try (Connection locker = target.connect(DATABASE)) {
        lockParent(locker);
        process = ImportProcess.start(task(-1), folder, home.resolve("out"));
        awaitComparison(process);
        target.crash();
      }
      target = server.port(target.port()).start();
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();

      assertThat(output())
          .contains("; again in 1 s")
          .contains("of shop.child: 1 row has no row of shop.parent")
          .doesNotContain("BUG", "\tat ");
      assertThat(process.exitValue()).as(output()).isEqualTo(1);
      assertThat(
              Sql.text(
                  target, DATABASE, "SELECT string_agg(id::text, ',' ORDER BY id) FROM shop.child"))
          .isEqualTo("1,2,3,4");
    } finally {
      target.close();
    }
  }

  private static void lockParent(Connection locker) throws SQLException {
    locker.setAutoCommit(false);
    Sql.execute(locker, "LOCK TABLE shop.parent IN ACCESS EXCLUSIVE MODE");
  }

  private void awaitComparison(Process process) throws Exception {
    String waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sluice import crashed'"
            + " AND wait_event_type = 'Lock' AND query LIKE '%NOT EXISTS (SELECT FROM %parent%'";
    while (Sql.text(target, DATABASE, waiting).equals("0")) {
      assertThat(process.isAlive()).as(output()).isTrue();
      Thread.sleep(20);
    }
  }

  /**
   * How many batches were in just before. Commits that do not wait for the disk stay in memory when
   * nobody writes them, and are lost in the crash. The import stands still from the count on, since
   * what it commits after it fills the log's buffers, which are then written.
   */
  private long crashDuringTheImport(Process process) throws Exception {
    stopWalWriter();
    long until = batches() + BATCHES_BEFORE_CRASH;
    await("batches come in")
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> !process.isAlive() || batches() >= until);
    signal("STOP", process.pid());
    assertThat(process.isAlive()).as(output()).isTrue();
    long before = batches();
    target.crash();
    return before;
  }

  /**
   * While it sleeps: where it works it holds locks that every commit needs. The question reads no
   * table, which could need them, too.
   */
  private void stopWalWriter() throws Exception {
    try (Connection connection = target.connect(DATABASE)) {
      long walWriter =
          Long.parseLong(
              Sql.text(
                  connection, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"));
      signal("STOP", walWriter);
      String sleeps =
          "SELECT wait_event = 'WalWriterMain' FROM pg_stat_get_activity(%d)".formatted(walWriter);
      while (!"t".equals(Sql.text(connection, sleeps))) {
        signal("CONT", walWriter);
        signal("STOP", walWriter);
      }
    }
  }

  private static void signal(String name, long process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process)).start().waitFor())
        .isZero();
  }

  private void makeTables() throws SQLException {
    target.createDatabase(DATABASE);
    try (Connection connection = target.connect(DATABASE)) {
      for (String statement :
          new String[] {
            "CREATE SCHEMA shop",
            "CREATE TABLE shop.parent (id int PRIMARY KEY)",
            """
            CREATE FUNCTION shop.gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_advisory_xact_lock_shared(id / %d); RETURN true; END $$
            """
                .formatted(ROWS / 3),
            "CREATE TABLE shop.child (id int CHECK (shop.gate(id)),"
                + " parent int REFERENCES shop.parent, place serial)",
            "CREATE ROLE loader LOGIN",
            "GRANT CREATE ON DATABASE crashed TO loader",
            "GRANT USAGE ON SCHEMA shop TO loader",
            "GRANT SELECT, INSERT ON shop.parent, shop.child TO loader",
            "GRANT USAGE ON SEQUENCE shop.child_place_seq TO loader",
            "GRANT SET ON PARAMETER session_replication_role TO loader",
            "CHECKPOINT"
          }) {
        Sql.execute(connection, statement);
      }
    }
  }

  private Path writeFiles() throws IOException {
    Path folder = Files.createDirectory(home.resolve("files"));
    try (Writer parent = Files.newBufferedWriter(folder.resolve("shop.parent.csv"));
        Writer child = Files.newBufferedWriter(folder.resolve("shop.child.csv"))) {
      parent.write("id\n");
      for (int row = 0; row < 10; row++) {
        parent.write(row + "\n");
      }
      child.write("id,parent\n");
      for (int row = 0; row < ROWS; row++) {
        child.write("%d,%s\n".formatted(row, row % BAD_EACH == 0 ? "bad" : row % 10));
      }
    }
    return folder;
  }

  private static int[] expectedBadRows() {
    return IntStream.range(0, ROWS).filter(row -> row % BAD_EACH == 0).toArray();
  }

  private Path task(int recoverableErrors) throws IOException {
    return Files.writeString(
        home.resolve("task.yaml"),
        """
        task: crashed
        target: {type: postgresql, url: "postgresql://loader@127.0.0.1:%d/%s"}
        task-settings:
          Import: {BatchSize: 100, ParallelJobs: 3, ErrorPolicy: stash, Header: true}
          ErrorBehavior: {RecoverableErrorCount: %d, RecoverableErrorInterval: 1}
        """
            .formatted(target.port(), DATABASE, recoverableErrors));
  }

  private long batches() {
    try {
      return Long.parseLong(
          Sql.text(target, DATABASE, "SELECT count(*) FROM sluice_control.import_batch"));
    } catch (SQLException e) {
      // The first process makes the table.
      return 0;
    }
  }

  private String output() throws IOException {
    return Files.readString(home.resolve("out"));
  }
}
