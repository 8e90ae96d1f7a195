package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The embedded broker loses the end of its log, as a disk without flushing does in a power cut. */
class PowerCutTest {
  private static final List<TableId> TABLES = List.of(new TableId("public", "noted"));

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  void aTaskWhoseTargetHasWhatTheLogLostGoesOn(@TempDir Path folder) throws Exception {
    Path task = task(folder, "ahead", "{ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}");
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      insert("ahead", 1, 500);
      daemon.awaitAllApplied();
      daemon.kill();
    }
    cutJournal(folder, 0.5);
    insert("ahead", 501, 600);

    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      daemon.awaitAllApplied();
      compare("ahead");
    }
  }

  @Test
  void aTaskWhoseSlotHasMovedPastWhatTheLogLostStopsAndSaysWhatIsMissing(@TempDir Path folder)
      throws Exception {
    // The window stays open, so that the journal is ahead of the target when the log is cut.
    Path task =
        task(
            folder,
            "behind",
            "{ChangeProcessingTuning: {BatchApplyTimeoutMin: 600, BatchApplyTimeoutMax: 900}}");
    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      daemon.awaitPhase("replicating");
      insert("behind", 1, 500);
      awaitSlotAt("behind", insertPosition("behind"));
      daemon.kill();
    }
    cutJournal(folder, 0.5);

    try (DaemonProcess daemon = DaemonProcess.run(task)) {
      assertThat(daemon.awaitEnd()).isNotZero();
      assertThat(daemon.output()).contains("missing").containsPattern("[0-9A-F]+/[0-9A-F]+");
    }
  }

  private static Path task(Path folder, String database, String settings) throws Exception {
    SERVERS.source().createDatabase(database);
    SERVERS.target().createDatabase(database);
    for (EmbeddedPostgres server : List.of(SERVERS.source(), SERVERS.target())) {
      try (Connection connection = server.connect(database);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE noted (id int PRIMARY KEY, note text)");
      }
    }
    return TaskFolder.of(folder, database, SERVERS.source(), SERVERS.target(), database, "public")
        .settings(settings)
        .write();
  }

  private static void insert(String database, int from, int to) throws SQLException {
    try (Connection connection = SERVERS.source().connect(database);
        Statement statement = connection.createStatement()) {
      for (int id = from; id <= to; id++) {
        statement.execute("INSERT INTO noted VALUES (" + id + ", repeat(md5('" + id + "'), 5))");
      }
    }
  }

  /**
   * Behind all that was committed. What is written ends before it: a commit of a server without
   * flushing does not wait for its log.
   */
  private static String insertPosition(String database) throws SQLException {
    try (Connection connection = SERVERS.source().connect(database);
        Statement statement = connection.createStatement();
        var result = statement.executeQuery("SELECT pg_current_wal_insert_lsn()")) {
      result.next();
      return result.getString(1);
    }
  }

  private static void awaitSlotAt(String database, String position) {
    await("slot at " + position)
        .atMost(Duration.ofMinutes(5))
        .until(
            () -> {
              try (Connection connection = SERVERS.source().connect(database);
                  Statement statement = connection.createStatement();
                  var result =
                      statement.executeQuery(
                          "SELECT confirmed_flush_lsn >= '"
                              + position
                              + "'::pg_lsn FROM pg_replication_slots WHERE database = '"
                              + database
                              + "'")) {
                return result.next() && result.getBoolean(1);
              }
            });
  }

  /** Cuts the journal's newest file to a part of its size. */
  static void cutJournal(Path folder, double part) throws IOException {
    try (FileChannel channel = FileChannel.open(newest(folder), StandardOpenOption.WRITE)) {
      assertThat(channel.size()).isPositive();
      channel.truncate((long) (channel.size() * part));
    }
  }

  /** The size of the journal's newest file. */
  static long journalBytes(Path folder) throws IOException {
    return Files.size(newest(folder));
  }

  private static Path newest(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
      return files
          .filter(file -> file.getParent().getFileName().toString().contains(".journal-0"))
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.comparing(Path::getFileName))
          .orElseThrow();
    }
  }

  private static void compare(String database) throws SQLException {
    try (Connection from = SERVERS.source().connect(database);
        Connection to = SERVERS.target().connect(database)) {
      Comparison.assertEqual(from, to, TABLES);
    }
  }
}
