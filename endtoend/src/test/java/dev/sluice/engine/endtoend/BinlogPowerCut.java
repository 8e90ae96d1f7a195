package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power cuts on the way from MariaDB or MySQL to PostgreSQL: journal, target and source lose what
 * was not flushed.
 */
abstract class BinlogPowerCut {
  private static final int ROUNDS = 3;
  private static final String ROWS = "SELECT concat_ws('|', id, note, n) FROM %s ORDER BY id";

  private final ShopServer kind;

  BinlogPowerCut(ShopServer kind) {
    this.kind = kind;
  }

  @BeforeEach
  void requireServer() {
    kind.assumeAvailable();
  }

  /** How much of its end the target loses depends on when its log was written, and is not asked. */
  @Test
  @Timeout(1800)
  void theTaskGoesOnThoughTheJournalLosesItsEndAndTheTargetCrashes(@TempDir Path folder)
      throws Exception {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .directory(folder.resolve("target"))
            // Commits that do not wait stay in memory for seconds, and are lost in a crash.
            .setting("wal_writer_delay", "3s")
            .setting("wal_writer_flush_after", "0");
    EmbeddedPostgres target = builder.start();
    try (EmbeddedServer source = created()) {
      target.createDatabase("cut");
      Path task = new BinlogTask(kind, target, folder, "cut").write(source, "full-load-and-cdc");
      int from = 1;
      for (int round = 0; round < ROUNDS; round++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          write(source, from, from + 300);
          daemon.awaitAllApplied();
          // All of that is durable. What comes now may be lost.
          long applied = daemon.status().at("/target/changes").asLong();
          write(source, from + 300, from + 330);
          await()
              .atMost(Duration.ofMinutes(5))
              .pollInterval(Duration.ofMillis(50))
              .until(() -> daemon.status().at("/target/changes").asLong() > applied);
          daemon.kill();
        }
        target.crash();
        PowerCutTest.cutJournal(folder, 0.5);
        target = builder.port(target.port()).start();
        from += 330;
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        requireEqual(source, target);
      }
    } finally {
      target.close();
    }
  }

  @Test
  @Timeout(900)
  void whatTheJournalHadAndTheTargetHadNotIsReadAgain(@TempDir Path folder) throws Exception {
    try (EmbeddedPostgres target = EmbeddedPostgres.start();
        EmbeddedServer source = created()) {
      target.createDatabase("cut");
      Path task = new BinlogTask(kind, target, folder, "cut").write(source, "full-load-and-cdc");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        write(source, 1, 200);
        daemon.awaitAllApplied();
      }
      String settings = Files.readString(task);
      // The window stays open, so the journal is ahead of the target when its log is cut.
      Files.writeString(
          task,
          settings.replace(
              "BatchApplyTimeoutMin: 0.1", "BatchApplyTimeoutMin: 600, BatchApplyTimeoutMax: 900"));
      long small = PowerCutTest.journalBytes(folder);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        write(source, 200, 600);
        await("they are in the journal")
            .atMost(Duration.ofMinutes(5))
            .until(() -> PowerCutTest.journalBytes(folder) > small + 400 * 100);
        daemon.kill();
      }
      assertThat(count(target)).isEqualTo(199);
      PowerCutTest.cutJournal(folder, 0.7);
      Files.writeString(task, settings);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        write(source, 600, 620);
        daemon.awaitAllApplied();
        requireEqual(source, target);
      }
    }
  }

  /** Without sync_binlog the end of the log is only in memory. */
  @Test
  @Timeout(900)
  void aSourceThatLostTheEndOfItsLogIsNotReadOn(@TempDir Path folder) throws Exception {
    try (EmbeddedPostgres target = EmbeddedPostgres.start();
        EmbeddedServer source = created()) {
      target.createDatabase("cut");
      Path task = new BinlogTask(kind, target, folder, "cut").write(source, "full-load-and-cdc");
      List<String> applied;
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        write(source, 1, 100);
        List<String> end = end(source);
        write(source, 100, 200);
        daemon.awaitAllApplied();
        applied = rows(target.connect("cut"), "shop.noted");
        source.kill();
        truncate(source.directory().resolve(end.get(0)), Long.parseLong(end.get(1)));
        source.restart();
        write(source, 300, 700);
        assertThat(daemon.awaitEnd()).isNotZero();
        assertThat(daemon.output()).contains("nothing of its binary log ends at");
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        assertThat(daemon.awaitEnd()).isNotZero();
        assertThat(daemon.output()).contains("nothing of its binary log ends at");
      }
      assertThat(rows(target.connect("cut"), "shop.noted")).isEqualTo(applied);
    }
  }

  private EmbeddedServer created() throws SQLException {
    EmbeddedServer server = kind.start();
    server.createDatabase(BinlogShop.DATABASE);
    try (Connection connection = server.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE noted (id int PRIMARY KEY, note varchar(200), n int)");
      kind.createUser(statement);
    }
    return server;
  }

  /** A row and a change of an older one in each transaction. */
  private static void write(EmbeddedServer source, int from, int to) throws SQLException {
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int id = from; id < to; id++) {
        statement.execute(
            "INSERT INTO noted VALUES (%1$d, repeat(sha2(%1$d, 256), 3), 1)".formatted(id));
        statement.execute("UPDATE noted SET n = n + 1 WHERE id = " + (id / 2 + 1));
        connection.commit();
      }
    }
  }

  /** Rises with each transaction. */
  private static long count(EmbeddedPostgres target) throws SQLException {
    try (Connection connection = target.connect("cut");
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT count(*) FROM shop.noted")) {
      found.next();
      return found.getLong(1);
    }
  }

  /** The file of the log and its size. */
  private List<String> end(EmbeddedServer source) throws SQLException {
    try (Connection connection = source.connect();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(kind.logStatus())) {
      found.next();
      return List.of(found.getString(1), found.getString(2));
    }
  }

  private static void truncate(Path file, long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertThat(channel.size()).isGreaterThan(size);
      channel.truncate(size);
    }
  }

  private static void requireEqual(EmbeddedServer source, EmbeddedPostgres target)
      throws SQLException {
    assertThat(rows(target.connect("cut"), "shop.noted"))
        .isEqualTo(rows(source.connect(BinlogShop.DATABASE), "noted"));
  }

  private static List<String> rows(Connection session, String table) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = session;
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(ROWS.formatted(table))) {
      while (found.next()) {
        rows.add(found.getString(1));
      }
    }
    return rows;
  }
}
