package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import dev.sluice.engine.ToMariadb;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A PostgreSQL database is loaded into MariaDB and followed, while daemon and target are killed.
 */
class MariadbTargetKillTest {
  private static final long SEED = Long.getLong("sluice.seed", 20261127L);

  /** How many there are at first. */
  private static final int ACCOUNTS = 5_000;

  private static final String ACCOUNT =
      "CREATE TABLE shop.account (id bigint PRIMARY KEY, code varchar(30) UNIQUE, note %s, n bigint)";
  private static final String ENTRY =
      "CREATE TABLE shop.entry (account bigint, no int, amount %s(12,2), at %s(6), PRIMARY KEY (account, no))";

  private static final List<String> READ =
      List.of(
          "SELECT concat_ws('|', id, code, coalesce(note, '-'), n) FROM shop.account ORDER BY id",
          "SELECT concat_ws('|', account, no, amount, %s) FROM shop.entry ORDER BY account, no");

  private static final String TABLES =
      "SELECT table_name FROM information_schema.tables WHERE %s = 'shop' ORDER BY %stable_name";

  EmbeddedServer target() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    return EmbeddedMariadb.builder().fsync().start();
  }

  @Test
  @Timeout(1800)
  void nothingIsLostAndNothingAppliedTwiceWhateverIsKilled(@TempDir Path folder) throws Exception {
    try (EmbeddedServer target = target();
        EmbeddedPostgres source = EmbeddedPostgres.start()) {
      create(source, target);
      createTables(target);
      Path task = task(folder, source, target, "DO_NOTHING");
      Random random = new Random(SEED);
      AtomicBoolean stop = new AtomicBoolean();
      List<CompletableFuture<Void>> writers =
          new AccountWriter(source, "killed", ACCOUNTS).start(3, SEED, stop);
      for (int kill = 0; kill < RandomKills.COUNT; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          if (kill % 2 == 1) {
            daemon.awaitPhase("replicating");
          }
          if (kill == 0) {
            Thread.sleep(500 + random.nextInt(5_000));
          }
          for (int moment = 0; kill > 0 && moment < 10; moment++) {
            add(source, "added_%d_%d".formatted(kill, moment), moment);
            Thread.sleep(50 + random.nextInt(500));
          }
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
        assertAlteredAreEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
    }
  }

  /** A table that comes while the task runs, with rows in its transaction and behind it. */
  private static void add(EmbeddedPostgres source, String name, int moment) throws SQLException {
    List<String> statements = new ArrayList<>();
    statements.add("BEGIN");
    statements.add("CREATE TABLE shop.%s (id bigserial PRIMARY KEY, note varchar(9), n int)");
    statements.add("INSERT INTO shop.%s (note) VALUES ('first')");
    statements.add("COMMIT");
    statements.add("INSERT INTO shop.%s (note, n) VALUES ('second', 2)");
    statements.add("BEGIN");
    statements.addAll(
        switch (moment % 5) {
          case 0 ->
              List.of(
                  "ALTER TABLE shop.%s ADD COLUMN state varchar(9) NOT NULL DEFAULT 'new'",
                  "INSERT INTO shop.%s (state) VALUES ('other')");
          case 1 ->
              List.of(
                  "ALTER TABLE shop.%s RENAME COLUMN note TO label",
                  "UPDATE shop.%s SET label = 'third'");
          case 2 ->
              List.of("ALTER TABLE shop.%s RENAME TO %1$s_moved", "DELETE FROM shop.%s_moved");
          case 3 -> List.of("DROP TABLE shop.%s");
          default ->
              List.of(
                  "ALTER TABLE shop.%s ALTER n TYPE bigint, ALTER note TYPE varchar(40)",
                  "UPDATE shop.%s SET n = 9000000000, note = note || ' and more of it'");
        });
    statements.add("COMMIT");
    // A table with rows of a load, which others write to.
    statements.add(
        moment % 2 == 0
            ? "ALTER TABLE shop.entry ADD COLUMN extra int DEFAULT " + moment
            : "ALTER TABLE shop.entry RENAME COLUMN extra TO extra_%s");
    try (Connection session = source.connect("killed")) {
      Sql.texts(
          session,
          statements.stream()
              .map(statement -> statement.replace("%1$s", name).replace("%s", name))
              .toArray(String[]::new));
    }
  }

  private static void assertAlteredAreEqual(EmbeddedPostgres source, EmbeddedServer target)
      throws SQLException {
    try (Connection from = source.connect("killed");
        Connection to = target.connect()) {
      List<String> names = Sql.texts(from, TABLES.formatted("table_schema", ""));
      assertThat(names).hasSize(2 + 8 * (RandomKills.COUNT - 1));
      assertThat(Sql.texts(to, TABLES.formatted("table_schema", "BINARY "))).isEqualTo(names);
      for (String name : names) {
        String columns =
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'shop'"
                + " AND table_name = '%s' AND column_name <> 'at' ORDER BY ordinal_position"
                    .formatted(name);
        List<String> found = Sql.texts(from, columns);
        assertThat(Sql.texts(to, columns)).as(name).isEqualTo(found);
        String rows =
            "SELECT concat_ws('|', %s) FROM shop.%s ORDER BY 1"
                .formatted(
                    found.stream()
                        .map(column -> "coalesce(cast(%s AS char(99)), '-')".formatted(column))
                        .collect(Collectors.joining(", ")),
                    name);
        assertThat(sorted(Sql.texts(to, rows))).as(name).isEqualTo(sorted(Sql.texts(from, rows)));
      }
    }
  }

  /** CHAR is filled with blanks on one side. */
  private static List<String> sorted(List<String> rows) {
    return rows.stream().map(row -> row.replaceAll(" +(?=\\||$)", "")).sorted().toList();
  }

  /** Kills while tables are dropped, created and filled, where nothing of that is rolled back. */
  @Test
  @Timeout(1800)
  void tablesThatTheTaskMakesAreWholeAndThoseOfOthersAreLeftWhateverIsKilled(@TempDir Path folder)
      throws Exception {
    try (EmbeddedServer target = target();
        EmbeddedPostgres source = EmbeddedPostgres.start()) {
      create(source, target);
      try (Connection session = target.connect()) {
        Sql.texts(
            session,
            "CREATE TABLE shop.other (id int PRIMARY KEY)",
            "INSERT INTO shop.other VALUES (7)");
      }
      Path task = task(folder, source, target, "DROP_AND_CREATE");
      AtomicBoolean stop = new AtomicBoolean();
      List<CompletableFuture<Void>> writers =
          new AccountWriter(source, "killed", ACCOUNTS).start(1, SEED, stop);
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
        writers.forEach(CompletableFuture::join);
        daemon.awaitAllApplied();
        assertEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
      try (Connection session = target.connect()) {
        assertThat(Sql.texts(session, "SELECT id FROM shop.other")).containsExactly("7");
        assertThat(Sql.texts(session, moments.get(3))).containsExactly("1");
      }
    }
  }

  /** Returns at the moment, or when it has passed unseen. */
  private static void awaitMoment(EmbeddedServer target, String moment, DaemonProcess daemon)
      throws Exception {
    try (Connection session = target.connect()) {
      while (!isReplicating(daemon)) {
        for (int i = 0; i < 200; i++) {
          try {
            if (!Sql.texts(session, moment).isEmpty()) {
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

  private static void create(EmbeddedPostgres source, EmbeddedServer target) throws SQLException {
    source.createDatabase("killed");
    try (Connection session = source.connect("killed")) {
      Sql.texts(
          session,
          "CREATE SCHEMA shop",
          ACCOUNT.formatted("text"),
          ENTRY.formatted("numeric", "timestamp"),
          "INSERT INTO shop.account SELECT i, 'code ' || i, repeat('x', i % 3000), 0"
              + " FROM generate_series(1, %d) i".formatted(ACCOUNTS),
          "INSERT INTO shop.entry SELECT i / 10, i % 10, i, timestamp '2026-01-01' + i * interval '1 second'"
              + " FROM generate_series(1, 12000) i");
    }
    new ToMariadb(source, target).createShop();
  }

  private static void createTables(EmbeddedServer target) throws SQLException {
    try (Connection session = target.connect()) {
      Sql.texts(session, ACCOUNT.formatted("longtext"), ENTRY.formatted("decimal", "datetime"));
    }
  }

  private static Path task(Path folder, EmbeddedPostgres source, EmbeddedServer target, String mode)
      throws Exception {
    return new ToMariadb(source, target)
        .task(
            folder,
            "killed",
            """
            {FullLoadSettings: {TargetTablePrepMode: %s, CommitRate: 250},
             ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"""
                .formatted(mode))
        .write();
  }

  private static void assertEqual(EmbeddedPostgres source, EmbeddedServer target)
      throws SQLException {
    try (Connection from = source.connect("killed");
        Connection to = target.connect()) {
      for (String query : READ) {
        List<String> expected =
            Sql.texts(from, query.formatted("to_char(at, 'YYYY-MM-DD HH24:MI:SS.US')"));
        assertThat(expected).hasSizeGreaterThan(1_000);
        assertThat(Sql.texts(to, query.formatted("at"))).isEqualTo(expected);
      }
    }
  }
}
