package dev.sluice.embedded.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedMariadbTest {

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aServerWritesABinaryLogOfRowsWithAllColumnsAndFullMetadata() throws SQLException {
    try (EmbeddedMariadb server = EmbeddedMariadb.start()) {
      assertThat(
              value(
                  server,
                  "SELECT CONCAT_WS(' ', @@log_bin, @@binlog_format, @@binlog_row_image,"
                      + " @@binlog_row_metadata)"))
          .isEqualTo("ON ROW FULL FULL");
      assertThat(value(server, "SELECT VERSION()")).startsWith("11.4.5");
    }
  }

  @Test
  void serversHaveNothingOfEachOtherAndLeaveNothing() throws SQLException {
    Path left;
    try (EmbeddedMariadb first = EmbeddedMariadb.start();
        EmbeddedMariadb second =
            EmbeddedMariadb.builder().setting("binlog-row-image", "MINIMAL").start()) {
      first.createDatabase("mine");
      left = first.directory();
      assertThat(
              value(
                  second,
                  "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'mine'"))
          .isEqualTo("0");
      assertThat(value(second, "SELECT @@binlog_row_image")).isEqualTo("MINIMAL");
    }
    assertThat(left).doesNotExist();
  }

  @Test
  void dataSurviveAKillAndARestart(@TempDir Path directory) throws SQLException {
    ServerBuilder<EmbeddedMariadb> builder = EmbeddedMariadb.builder().directory(directory).fsync();
    EmbeddedMariadb server = builder.start();
    execute(server, "CREATE TABLE kept AS SELECT 7 AS value");
    int port = server.port();
    server.kill();
    server.restart();
    assertThat(server.port()).isEqualTo(port);
    assertThat(value(server, "SELECT value FROM kept")).isEqualTo("7");
    server.restart();
    assertThat(value(server, "SELECT value FROM kept")).isEqualTo("7");
    server.close();
    try (EmbeddedMariadb again = EmbeddedMariadb.builder().directory(directory).start()) {
      assertThat(value(again, "SELECT value FROM kept")).isEqualTo("7");
    }
  }

  @Test
  void aServerEndsWithTheProcessThatStartedItEvenIfThatIsKilled() throws Exception {
    Process starter =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dsluice.mariadb.working-dir=" + System.getProperty("sluice.mariadb.working-dir"),
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                System.getProperty("java.class.path"),
                Starter.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(starter.getInputStream()))) {
      String line = output.readLine();
      while (line != null && !line.startsWith(Starter.STARTED)) {
        line = output.readLine();
      }
      long server = Long.parseLong(line.substring(Starter.STARTED.length()));
      assertThat(runs(server)).isTrue();
      starter.destroyForcibly().waitFor();
      await().atMost(Duration.ofMinutes(5)).until(() -> !runs(server));
    } finally {
      starter.destroyForcibly();
    }
  }

  private static boolean runs(long pid) throws IOException {
    Path state = Paths.get("/proc", Long.toString(pid), "stat");
    try {
      // Its parent may never reap it.
      return !Files.readString(state).contains(") Z ");
    } catch (java.nio.file.NoSuchFileException e) {
      return false;
    }
  }

  /** A process that starts a server, prints its process id and waits. */
  static final class Starter {
    static final String STARTED = "started as process ";

    public static void main(String[] arguments) throws InterruptedException {
      System.out.println(STARTED + EmbeddedMariadb.start().pid());
      Thread.sleep(Duration.ofHours(1).toMillis());
    }
  }

  private static void execute(EmbeddedMariadb server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String value(EmbeddedMariadb server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
