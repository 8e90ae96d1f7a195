package dev.sluice.engine.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The importing process is killed again and again, at random places. The tables have no key, so a
 * row that came twice would stay.
 */
class ImportKillTest {
  private static final String DATABASE = "killed";
  private static final int ROWS = 30_000;
  private static final int BAD_EACH = 97;
  private static final int KILLS = 5;

  private static EmbeddedPostgres target;

  /** Looks all the time how far an import is. */
  private static Connection watcher;

  @TempDir Path home;

  @BeforeAll
  static void start() throws SQLException {
    target = EmbeddedPostgres.start();
    target.createDatabase(DATABASE);
    Sql.execute(
        target,
        DATABASE,
        """
        CREATE FUNCTION gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          IF id >= %d THEN PERFORM pg_advisory_xact_lock_shared(42); END IF;
          RETURN true;
        END $$
        """
            .formatted(ROWS * 3 / 4));
    watcher = target.connect(DATABASE);
  }

  @AfterEach
  void endProcesses() throws InterruptedException {
    ImportProcess.endAll();
  }

  @AfterAll
  static void stop() throws SQLException {
    watcher.close();
    target.close();
  }

  @Test
  void everyRowIsInTheTableOrInTheFileOfBadRowsOnceHoweverOftenTheProcessIsKilled()
      throws Exception {
    Random random = new Random();
    long seed = random.nextLong();
    random.setSeed(seed);
    Path folder = Files.createDirectory(home.resolve("files"));
    try (Writer plain = Files.newBufferedWriter(folder.resolve("plain.csv"));
        Writer packed =
            new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(folder.resolve("packed.txt.gz"))),
                StandardCharsets.UTF_8)) {
      for (int row = 0; row < ROWS; row++) {
        boolean bad = row % BAD_EACH == 0;
        plain.write("%s,\"line\n%d\"\n".formatted(bad ? "bad" + row : row, row));
        packed.write("%s\tline\\\n%d\n".formatted(bad ? "bad" + row : row, row));
      }
    }
    try (Connection connection = target.connect(DATABASE)) {
      Sql.execute(connection, "CREATE TABLE plain (id int CHECK (gate(id)), note text)");
      Sql.execute(connection, "CREATE TABLE packed (id int, note text)");
      Path task =
          Files.writeString(
              home.resolve("task.yaml"),
              """
              task: killed
              target: {type: postgresql, url: "postgresql://postgres@127.0.0.1:%d/%s"}
              task-settings:
                Import: {ErrorPolicy: stash, MaxBadRows: 5000, BatchSize: 150, ParallelJobs: 3}
              """
                  .formatted(target.port(), DATABASE));
      Connection gate = closedGate();
      try {
        for (int kill = 0; kill < KILLS; kill++) {
          long until = batches() + 5 + random.nextInt(50);
          String begun = now();
          Process process = ImportProcess.start(task, folder, home.resolve("out"));
          while (process.isAlive() && batches() < until && !waitsAtTheGate(begun)) {
            Thread.sleep(random.nextInt(5));
          }
          assertThat(process.isAlive()).as("a process at work").isTrue();
          process.destroyForcibly().waitFor();
        }
      } finally {
        gate.close();
      }

      Process last = ImportProcess.start(task, folder, home.resolve("out"));
      assertThat(last.waitFor(5, TimeUnit.MINUTES)).isTrue();
      String output = Files.readString(home.resolve("out"));
      assertThat(last.exitValue()).as("seed " + seed + "\n" + output).isEqualTo(3);
      for (String table : List.of("plain", "packed")) {
        assertThat(
                Sql.text(
                    target,
                    DATABASE,
                    "SELECT count(*) || ' ' || count(DISTINCT id) || ' '"
                        + " || bool_and(note = E'line\\n' || id) FROM "
                        + table))
            .as(table + ", seed " + seed)
            .isEqualTo("%d %1$d true".formatted(ROWS - (ROWS / BAD_EACH + 1)));
      }
      assertThat(badRows(folder.resolve("plain.csv.bad"), ",\"line"))
          .as("seed " + seed)
          .isEqualTo(expectedBadRows());
      assertThat(badRows(folder.resolve("packed.txt.gz.bad"), "\tline\\"))
          .as("seed " + seed)
          .isEqualTo(expectedBadRows());
    }
  }

  @Test
  void sessionsThatTheServerEndsAreOpenedAgainAndNoRowIsLostOrDoubled() throws Exception {
    Path folder = Files.createDirectory(home.resolve("files"));
    try (Writer rows = Files.newBufferedWriter(folder.resolve("ended.csv"))) {
      for (int row = 0; row < ROWS; row++) {
        rows.write(row + "\n");
      }
    }
    try (Connection connection = target.connect(DATABASE)) {
      Sql.execute(connection, "CREATE TABLE ended (id int CHECK (gate(id)))");
      Path task =
          Files.writeString(
              home.resolve("task.yaml"),
              """
              task: ended
              target: {type: postgresql, url: "postgresql://postgres@127.0.0.1:%d/%s"}
              task-settings:
                Import: {BatchSize: 100, ParallelJobs: 3}
                ErrorBehavior: {RecoverableErrorInterval: 1}
              """
                  .formatted(target.port(), DATABASE));
      Process process;
      Connection gate = closedGate();
      try {
        String begun = now();
        process = ImportProcess.start(task, folder, home.resolve("out"));
        for (int end = 0; end < 2; end++) {
          long until = batches() + 20;
          while (process.isAlive() && batches() < until && !waitsAtTheGate(begun)) {
            Thread.sleep(5);
          }
          begun = now();
          Sql.execute(
              connection,
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                  + " WHERE application_name = 'sluice import ended'");
        }
      } finally {
        gate.close();
      }
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
      String output = Files.readString(home.resolve("out"));
      assertThat(process.exitValue()).as(output).isZero();
      assertThat(output).contains("; again in 1 s");
      assertThat(
              Sql.text(target, DATABASE, "SELECT count(*) || ' ' || count(DISTINCT id) FROM ended"))
          .isEqualTo("%d %1$d".formatted(ROWS));
    }
  }

  /** While it is open the last rows of a file do not come in, so that no import is over. */
  private static Connection closedGate() throws SQLException {
    Connection gate = target.connect(DATABASE);
    Sql.execute(gate, "SELECT pg_advisory_lock(42)");
    return gate;
  }

  private static String now() throws SQLException {
    return Sql.text(watcher, "SELECT clock_timestamp()");
  }

  /** A session that is no older, and so none that a killed process has left. */
  private static boolean waitsAtTheGate(String since) throws SQLException {
    return !Sql.text(
            watcher,
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
                + " AND backend_start > '"
                + since
                + "'")
        .equals("0");
  }

  private static List<String> badRows(Path file, String suffix) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith("bad"))
        .map(line -> line.substring(0, line.length() - suffix.length()))
        .sorted()
        .toList();
  }

  private static List<String> expectedBadRows() {
    return IntStream.range(0, ROWS)
        .filter(row -> row % BAD_EACH == 0)
        .mapToObj(row -> "bad" + row)
        .sorted()
        .toList();
  }

  private static long batches() throws SQLException {
    try {
      return Long.parseLong(Sql.text(watcher, "SELECT count(*) FROM sluice_control.import_batch"));
    } catch (SQLException e) {
      // The first process makes the table.
      return 0;
    }
  }
}
