package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A PostgreSQL database is loaded into MariaDB and followed, while daemon and target are killed.
 */
class MariadbTargetKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 4);
  private static final long SEED = Long.getLong("sluice.seed", 20261127L);

  private static final String ACCOUNT =
      "CREATE TABLE shop.account (id bigint PRIMARY KEY, code varchar(30) UNIQUE, note %s, n bigint)";
  private static final String ENTRY =
      "CREATE TABLE shop.entry (account bigint, no int, amount %s(12,2), at %s(6), PRIMARY KEY (account, no))";

  private static final List<String> READ =
      List.of(
          "SELECT concat_ws('|', id, code, coalesce(note, '-'), n) FROM shop.account ORDER BY id",
          "SELECT concat_ws('|', account, no, amount, %s) FROM shop.entry ORDER BY account, no");

  @Test
  @Timeout(1800)
  void nothingIsLostAndNothingAppliedTwiceWhateverIsKilled(@TempDir Path folder) throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedMariadb target = EmbeddedMariadb.builder().fsync().start()) {
      create(source, target);
      createTables(target);
      Path task = task(folder, source, target, "DO_NOTHING");
      Random random = new Random(SEED);
      AtomicBoolean stop = new AtomicBoolean();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        long seed = SEED + i;
        writers.add(CompletableFuture.runAsync(() -> write(source, new Random(seed), stop)));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          if (kill % 2 == 1) {
            daemon.awaitPhase("replicating");
          }
          Thread.sleep(500 + random.nextInt(5_000));
          daemon.kill();
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        target.restart();
        Thread.sleep(2_000);
        stop.set(true);
        writers.forEach(CompletableFuture::join);
        daemon.awaitAllApplied();
        assertEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  /** Kills while tables are dropped, created and filled, where nothing of that is rolled back. */
  @Test
  @Timeout(1800)
  void tablesThatTheTaskMakesAreWholeAndThoseOfOthersAreLeftWhateverIsKilled(@TempDir Path folder)
      throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedMariadb target = EmbeddedMariadb.builder().fsync().start()) {
      create(source, target);
      try (Connection session = target.connect()) {
        run(
            session,
            "CREATE TABLE shop.other (id int PRIMARY KEY)",
            "INSERT INTO shop.other VALUES (7)");
      }
      Path task = task(folder, source, target, "DROP_AND_CREATE");
      AtomicBoolean stop = new AtomicBoolean();
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(() -> write(source, new Random(SEED), stop));
      List<String> moments =
          List.of(
              "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'account'",
              // The tables of the attempt before are dropped and created again.
              "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM information_schema.TABLES"
                  + " WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'account')",
              "SELECT 1 FROM shop.account LIMIT 1",
              "SELECT 1 FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'shop'"
                  + " AND INDEX_NAME = 'account_code_key'");
      for (String moment : moments) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          awaitMoment(target, moment, daemon);
          daemon.kill();
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        stop.set(true);
        writer.join();
        daemon.awaitAllApplied();
        assertEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
      try (Connection session = target.connect()) {
        assertThat(texts(session, "SELECT id FROM shop.other")).containsExactly("7");
        assertThat(texts(session, moments.get(3))).containsExactly("1");
      }
    }
  }

  /** Returns at the moment, or when it has passed unseen. */
  private static void awaitMoment(EmbeddedMariadb target, String moment, DaemonProcess daemon)
      throws Exception {
    try (Connection session = target.connect()) {
      while (!isReplicating(daemon)) {
        for (int i = 0; i < 200; i++) {
          try {
            if (!texts(session, moment).isEmpty()) {
              return;
            }
          } catch (SQLException e) {
            // The table is not there yet.
          }
          Thread.onSpinWait();
        }
      }
    }
  }

  private static boolean isReplicating(DaemonProcess daemon) throws InterruptedException {
    assertThat(daemon.isAlive()).isTrue();
    try {
      return daemon.status().path("phase").asText().equals("replicating");
    } catch (IOException e) {
      return false;
    }
  }

  private static void create(EmbeddedPostgres source, EmbeddedMariadb target) throws SQLException {
    source.createDatabase("killed");
    try (Connection session = source.connect("killed")) {
      run(
          session,
          "CREATE SCHEMA shop",
          ACCOUNT.formatted("text"),
          ENTRY.formatted("numeric", "timestamp"),
          "INSERT INTO shop.account SELECT i, 'code ' || i, repeat('x', i % 3000), 0"
              + " FROM generate_series(1, 20000) i",
          "INSERT INTO shop.entry SELECT i / 10, i % 10, i, timestamp '2026-01-01' + i * interval '1 second'"
              + " FROM generate_series(1, 50000) i");
    }
    try (Connection session = target.connect()) {
      run(session, "CREATE DATABASE shop COLLATE utf8mb4_nopad_bin");
    }
  }

  private static void createTables(EmbeddedMariadb target) throws SQLException {
    try (Connection session = target.connect()) {
      run(session, ACCOUNT.formatted("longtext"), ENTRY.formatted("decimal", "datetime"));
    }
  }

  private static void write(EmbeddedPostgres source, Random random, AtomicBoolean stop) {
    try (Connection session = source.connect("killed")) {
      session.setAutoCommit(false);
      while (!stop.get()) {
        try {
          for (int i = random.nextInt(5); i >= 0; i--) {
            run(session, statement(random));
          }
          session.commit();
        } catch (SQLException e) {
          // A row that another one has inserted, or a deadlock.
          session.rollback();
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String statement(Random random) {
    int id = 1 + random.nextInt(20_000);
    int other = 20_001 + random.nextInt(1_000_000);
    return switch (random.nextInt(7)) {
      case 0 -> "DELETE FROM shop.account WHERE id = " + id;
      case 1 -> "INSERT INTO shop.account VALUES (%1$d, 'code %1$d', 'new', %1$d)".formatted(other);
      case 2 -> "UPDATE shop.account SET id = %d WHERE id = %d".formatted(other, id);
      case 3 ->
          "INSERT INTO shop.entry VALUES (%d, %d, 1.5, clock_timestamp())"
              .formatted(id, random.nextInt(1000));
      case 4 -> "UPDATE shop.entry SET amount = amount + 1 WHERE account = " + id / 10;
      case 5 -> "DELETE FROM shop.entry WHERE account = " + id / 10;
      default -> "UPDATE shop.account SET n = n + 1 WHERE id = " + id;
    };
  }

  private static Path task(
      Path folder, EmbeddedPostgres source, EmbeddedMariadb target, String mode) throws Exception {
    return Files.writeString(
        folder.resolve("task.yaml"),
        """
        task: killed
        migration-type: full-load-and-cdc
        source:
          type: postgresql
          url: postgresql://postgres@127.0.0.1:%d/killed
        target:
          type: mariadb
          url: mariadb://root@127.0.0.1:%d/shop
        data-dir: %s
        http: 127.0.0.1:%d
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: "1"
              rule-action: include
              object-locator: { schema-name: shop, table-name: "%%" }
        task-settings:
          FullLoadSettings: { TargetTablePrepMode: %s, CommitRate: 1000 }
          ChangeProcessingTuning: { BatchApplyTimeoutMin: 0.1 }
        """
            .formatted(
                source.port(), target.port(), folder.resolve("data"), FreePort.find(), mode));
  }

  private static void assertEqual(EmbeddedPostgres source, EmbeddedMariadb target)
      throws SQLException {
    try (Connection from = source.connect("killed");
        Connection to = target.connect()) {
      for (String query : READ) {
        List<String> expected =
            texts(from, query.formatted("to_char(at, 'YYYY-MM-DD HH24:MI:SS.US')"));
        assertThat(expected).hasSizeGreaterThan(1_000);
        assertThat(texts(to, query.formatted("at"))).isEqualTo(expected);
      }
    }
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> texts(Connection session, String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
