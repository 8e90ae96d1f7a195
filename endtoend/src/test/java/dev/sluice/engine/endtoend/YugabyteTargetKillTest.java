package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.engine.SentToYugabyte;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A PostgreSQL database is loaded into a target that is as strict as YugabyteDB, and followed,
 * while the daemon is killed and statements, connections and commits fail.
 */
class YugabyteTargetKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 2);
  private static final long SEED = Long.getLong("sluice.seed", 20261128L);
  private static final String DATABASE = "killed";

  /** How many there are at first. */
  private static final int ACCOUNTS = 3_000;

  /** So many of a thousand statements of changes meet a fault, and five times as many commits. */
  private static final int FAILING = 50;

  /** So many of a thousand statements, commits and definitions of a load meet a conflict. */
  private static final int OVERTAKEN = 50;

  /**
   * So many meet any fault. A timeout or a lost connection ends an attempt, which is one of
   * hundreds of statements.
   */
  private static final int FAILING_OF_LOAD = 1;

  /** Each that is made stays, or leaves what the next attempt understands. */
  private static final int FAILING_OF_DEFINITIONS = 50;

  /** A resync notes many rows in one transaction, each by statements of its own. */
  private static final int FAILING_OF_REPAIR = 1;

  private static final String RESYNC =
      "SELECT state FROM sluice_control.task_step WHERE step = 'resync'";

  /** What changes tables, one of each kind. */
  private static final List<String> OF_DEFINITIONS =
      List.of(
          "create table name.name",
          "comment on table",
          "alter table name.name add",
          "alter table name.name rename",
          "drop table name.name");

  /** It was done, or was not, and the daemon does not hear it. */
  private static final List<Fault> OF_ANSWERS =
      List.of(Fault.LOST_BEFORE, Fault.LOST_AFTER_COMMIT, Fault.TIMEOUT_AFTER_COMMIT);

  private static final String NAMES =
      "SELECT relname FROM pg_class WHERE relnamespace = 'shop'::regnamespace AND relkind = 'r'"
          + " AND relname <> 'entry' ORDER BY 1";

  private static final String COLUMNS =
      "SELECT concat_ws('|', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),"
          + " a.attnotnull::text) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
          + " WHERE c.relnamespace = 'shop'::regnamespace AND c.relkind = 'r' AND a.attnum > 0"
          + " AND NOT a.attisdropped ORDER BY c.relname, a.attnum";

  private static final String[] TABLES = {
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.account (id bigint PRIMARY KEY, code varchar(30) UNIQUE, note text, n bigint)",
    "CREATE TABLE shop.entry (account bigint, no int, amount numeric(12,2), at timestamp,"
        + " PRIMARY KEY (account, no))"
  };

  private static final List<String> READ =
      List.of(
          "SELECT a::text FROM shop.account a ORDER BY id",
          "SELECT e::text FROM shop.entry e ORDER BY account, no");

  @Test
  @Timeout(1800)
  void eachChangeArrivesOnceThroughKillsConflictsAndUnansweredCommits(@TempDir Path folder)
      throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        StrictProxy proxy = new StrictProxy(target.port(), SEED)) {
      create(source, target, List.of(source, target));
      Path task = task(folder, source, proxy, "DO_NOTHING");
      Random random = new Random(SEED);
      AtomicBoolean stop = new AtomicBoolean();
      List<CompletableFuture<Void>> writers =
          new AccountWriter(source, DATABASE, ACCOUNTS).start(2, SEED, stop);
      for (int kill = 0; kill < KILLS; kill++) {
        failNone(proxy);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          awaitChecked(daemon);
          failLoad(proxy);
          if (kill % 2 == 1) {
            daemon.awaitPhase("replicating");
            failChanges(proxy);
          }
          Thread.sleep(500 + random.nextInt(4_000));
          daemon.kill();
        }
      }
      failNone(proxy);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        awaitChecked(daemon);
        failLoad(proxy);
        daemon.awaitPhase("replicating");
        failChanges(proxy);
        Map<Fault, Integer> before = proxy.faults();
        await("windows met each kind of fault several times")
            .atMost(Duration.ofMinutes(10))
            .until(() -> hasMoreOfEach(proxy.faults(), before, 3));
        stop.set(true);
        writers.forEach(CompletableFuture::join);
        failNone(proxy);
        daemon.awaitAllApplied();
        assertEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
      SentToYugabyte.requireListed(proxy);
    }
  }

  @Test
  @Timeout(1800)
  void tablesThatTheTaskMakesComeThroughKillsAndErrorsOfTheLoad(@TempDir Path folder)
      throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        StrictProxy proxy = new StrictProxy(target.port(), SEED)) {
      create(source, target, List.of(source));
      Path task = task(folder, source, proxy, "DROP_AND_CREATE");
      Random random = new Random(SEED);
      for (int kill = 0; kill < KILLS; kill++) {
        failNone(proxy);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          awaitChecked(daemon);
          failLoad(proxy);
          proxy.failDefinitions(FAILING_OF_DEFINITIONS);
          Thread.sleep(random.nextInt(1_500));
          daemon.kill();
        }
      }
      failNone(proxy);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        awaitChecked(daemon);
        failLoad(proxy);
        proxy.failDefinitions(FAILING_OF_DEFINITIONS);
        daemon.awaitPhase("replicating");
        failNone(proxy);
        daemon.awaitAllApplied();
        assertEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
      try (Connection session = target.connect(DATABASE)) {
        assertThat(
                Sql.texts(
                    session,
                    "SELECT c.relname || '|' || i.indisvalid FROM pg_index i JOIN pg_class c"
                        + " ON c.oid = i.indexrelid"
                        + " WHERE c.relnamespace = 'shop'::regnamespace ORDER BY 1"))
            .containsExactly("account_code_key|true", "account_pkey|true", "entry_pkey|true");
      }
      SentToYugabyte.requireListed(proxy);
    }
  }

  @Test
  @Timeout(1800)
  void rowsThatDifferAreMadeEqualThroughKillsAndErrorsOfTheirRepair(@TempDir Path folder)
      throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        StrictProxy proxy = new StrictProxy(target.port(), SEED)) {
      create(source, target, List.of(source, target));
      Path task = task(folder, source, proxy, "DO_NOTHING");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        daemon.awaitAllApplied();
        assertThat(daemon.terminate()).isZero();
      }
      on(
          source,
          "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
              + " WHERE database = current_database()",
          "UPDATE shop.account SET note = 'missed' WHERE id % 11 = 0",
          "DELETE FROM shop.entry WHERE account % 13 = 0");
      on(
          target,
          "UPDATE shop.account SET n = n + 1 WHERE id % 7 = 0",
          "DELETE FROM shop.entry WHERE account % 5 = 0",
          "INSERT INTO shop.entry SELECT i, 7777, 1, NULL FROM generate_series(1, 100) i");
      DaemonProcess.Finished requested =
          DaemonProcess.commandHere("resync", task.toString(), "--delete-extra");
      assertThat(requested.exitCode()).as(requested.output()).isZero();
      Random random = new Random(SEED);
      AtomicBoolean stop = new AtomicBoolean();
      List<CompletableFuture<Void>> writers =
          new AccountWriter(source, DATABASE, ACCOUNTS).start(2, SEED, stop);
      for (int kill = 0; kill < KILLS; kill++) {
        proxy.fail(0);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          awaitChecked(daemon);
          proxy.fail(FAILING_OF_REPAIR);
          daemon.awaitPhase("replicating");
          Thread.sleep(random.nextInt(5_000));
          daemon.kill();
        }
      }
      proxy.fail(0);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        awaitChecked(daemon);
        proxy.fail(FAILING_OF_REPAIR);
        for (Fault fault : Fault.values()) {
          meet(proxy, fault);
        }
        // A row that changes in each session of a repair is left for the next one: on a busy
        // machine
        // the writers would be ahead of it for ever.
        stop.set(true);
        writers.forEach(CompletableFuture::join);
        await("the repair is done")
            .atMost(Duration.ofMinutes(20))
            .until(() -> on(target, RESYNC).equals(List.of("done")));
        proxy.fail(0);
        daemon.awaitAllApplied();
        assertEqual(source, target);
        assertThat(daemon.terminate()).isZero();
      }
      assertThat(
              on(
                  target,
                  "SELECT DISTINCT resync_action FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result = 'REPAIRED' ORDER BY 1"))
          .containsExactly("DELETE", "UPSERT");
      SentToYugabyte.requireListed(proxy);
    }
  }

  @Test
  @Timeout(1800)
  void newAlteredRenamedAndDroppedTablesComeThroughKillsConflictsAndLostAnswers(
      @TempDir Path folder) throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start();
        StrictProxy proxy = new StrictProxy(target.port(), SEED)) {
      create(source, target, List.of(source));
      Path task = task(folder, source, proxy, "DROP_AND_CREATE");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        assertThat(daemon.terminate()).isZero();
      }
      Random random = new Random(SEED);
      AtomicBoolean stop = new AtomicBoolean();
      List<CompletableFuture<Void>> writers =
          new ArrayList<>(new AccountWriter(source, DATABASE, ACCOUNTS).start(1, SEED, stop));
      writers.add(new TableChanger(source, DATABASE).start(SEED, stop));
      for (int kill = 0; kill < KILLS; kill++) {
        failNone(proxy);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          awaitChecked(daemon);
          daemon.awaitPhase("replicating");
          failChanges(proxy);
          Thread.sleep(500 + random.nextInt(8_000));
          daemon.kill();
        }
      }
      failNone(proxy);
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        awaitChecked(daemon);
        daemon.awaitPhase("replicating");
        failChanges(proxy);
        for (String begin : OF_DEFINITIONS) {
          for (Fault fault : OF_ANSWERS) {
            meet(proxy, begin, fault);
          }
        }
        stop.set(true);
        writers.forEach(CompletableFuture::join);
        failNone(proxy);
        daemon.awaitAllApplied();
        assertEqual(source, target);
        List<String> columns = on(source, COLUMNS);
        assertThat(columns).anyMatch(column -> column.startsWith("kept_1|note|text|true"));
        assertThat(on(target, COLUMNS)).isEqualTo(columns);
        for (String table : on(source, NAMES)) {
          String rows = "SELECT t::text FROM shop.%s t ORDER BY id".formatted(table);
          assertThat(on(target, rows)).as(table).isEqualTo(on(source, rows));
        }
        assertThat(daemon.terminate()).isZero();
      }
      SentToYugabyte.requireListed(proxy);
    }
  }

  private static void failLoad(StrictProxy proxy) {
    proxy.fail(FAILING_OF_LOAD);
    proxy.overtake(OVERTAKEN);
  }

  private static void failChanges(StrictProxy proxy) {
    proxy.fail(FAILING);
    proxy.overtake(0);
  }

  private static void failNone(StrictProxy proxy) {
    proxy.fail(0);
    proxy.overtake(0);
  }

  /** A start whose checks meet a fault ends, and is not tried again by itself. */
  private static void awaitChecked(DaemonProcess daemon) {
    await("the checks have passed")
        .atMost(Duration.ofMinutes(10))
        .until(() -> !daemon.isAlive() || isChecked(daemon));
    assertThat(daemon.isAlive()).isTrue();
  }

  private static boolean isChecked(DaemonProcess daemon) throws InterruptedException {
    try {
      String phase = daemon.status().path("phase").asText();
      return !phase.equals("starting") && !phase.equals("checking");
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until a statement or a commit has met the fault. */
  private static void meet(StrictProxy proxy, Fault fault) {
    meet(proxy, fault.isAfterCommit() ? "commit" : "insert into", fault);
  }

  /** Waits until a statement that begins so has met the fault. */
  private static void meet(StrictProxy proxy, String begin, Fault fault) {
    Map<Fault, Integer> before = proxy.faults();
    proxy.failOnce(begin, fault);
    await("met " + fault)
        .atMost(Duration.ofMinutes(10))
        .until(() -> proxy.faults().getOrDefault(fault, 0) > before.getOrDefault(fault, 0));
  }

  private static boolean hasMoreOfEach(
      Map<Fault, Integer> now, Map<Fault, Integer> before, int more) {
    for (Fault fault : Fault.values()) {
      if (now.getOrDefault(fault, 0) < before.getOrDefault(fault, 0) + more) {
        return false;
      }
    }
    return true;
  }

  /**
   * @param having the servers that have the tables
   */
  private static void create(
      EmbeddedPostgres source, EmbeddedPostgres target, List<EmbeddedPostgres> having)
      throws SQLException {
    source.createDatabase(DATABASE);
    target.createDatabase(DATABASE);
    for (EmbeddedPostgres each : having) {
      try (Connection session = each.connect(DATABASE)) {
        Sql.texts(session, TABLES);
      }
    }
    try (Connection session = source.connect(DATABASE)) {
      Sql.texts(
          session,
          "INSERT INTO shop.account SELECT i, 'code ' || i, repeat('x', i % 3000), 0"
              + " FROM generate_series(1, %d) i".formatted(ACCOUNTS),
          "INSERT INTO shop.entry SELECT i / 10, i % 10, i, timestamp '2026-01-01' + i * interval '1 second'"
              + " FROM generate_series(1, 6000) i");
    }
  }

  private static Path task(
      Path folder, EmbeddedPostgres source, StrictProxy proxy, String preparation)
      throws Exception {
    return TaskFolder.of(folder, DATABASE, source.port(), proxy.port(), DATABASE, "shop")
        .target(
            "yugabytedb", "yugabytedb://postgres@127.0.0.1:%d/%s".formatted(proxy.port(), DATABASE))
        .settings(
            """
            {FullLoadSettings: {TargetTablePrepMode: %s, CommitRate: 300},
             ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},
             ErrorBehavior: {RecoverableErrorInterval: 0.1, RecoverableErrorThrottling: false}}"""
                .formatted(preparation))
        .write();
  }

  private static void assertEqual(EmbeddedPostgres source, EmbeddedPostgres target)
      throws SQLException {
    try (Connection from = source.connect(DATABASE);
        Connection to = target.connect(DATABASE)) {
      for (String query : READ) {
        List<String> expected = Sql.texts(from, query);
        assertThat(expected).hasSizeGreaterThan(1_000);
        assertThat(Sql.texts(to, query)).isEqualTo(expected);
      }
    }
  }

  private static List<String> on(EmbeddedPostgres server, String... statements)
      throws SQLException {
    try (Connection session = server.connect(DATABASE)) {
      return Sql.texts(session, statements);
    }
  }
}
