package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.status.TaskControl.Ending;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole task, from its start on, of which one in twenty statements, definitions and commits is
 * told that another transaction was faster or something was altered.
 */
@ExtendWith(SharedBroker.class)
@Timeout(1200)
class YugabyteOvertakenTest {
  private static final int OF_A_THOUSAND = 50;

  private static final int TABLES = 6;
  private static final int ROWS = 2_000;

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  @Test
  void tablesAreMadeLoadedAndFollowedAndEachRowIsThereOnce() throws Exception {
    create("followed");
    AtomicBoolean stop = new AtomicBoolean();
    SERVERS.proxy().overtake(OF_A_THOUSAND);
    try {
      CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write("followed", stop));
      try (RunningDaemon running = RunningDaemon.start(task("followed").config())) {
        awaitLoaded(running);
        running.awaitPhase("replicating");
        assertThat(indexes("followed"))
            .hasSize(3 * TABLES)
            .allMatch(each -> each.endsWith("|true"));
        stop.set(true);
        writer.join();
        running.awaitApplied();
        requireEqual("followed");
        assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
            .isEqualTo(Ending.DONE);
        assertThat(attempts("followed")).isLessThan(ATTEMPTS);
      } finally {
        stop.set(true);
      }
    } finally {
      SERVERS.proxy().overtake(0);
    }
    requireMet();
  }

  @Test
  void aLoadAloneEndsWithConstraintsAndIdentities() throws Exception {
    create("alone");
    SERVERS.proxy().overtake(OF_A_THOUSAND);
    try (RunningDaemon running =
        RunningDaemon.start(task("alone").replacing("full-load-and-cdc", "full-load").config())) {
      running.awaitEnd();
    } finally {
      SERVERS.proxy().overtake(0);
    }
    requireEqual("alone");
    assertThat(indexes("alone")).hasSize(3 * TABLES).allMatch(each -> each.endsWith("|true"));
    assertThat(
            SERVERS.onTarget(
                "alone",
                "SELECT conname || '|' || convalidated FROM pg_constraint WHERE contype IN ('c', 'f')"
                    + " AND connamespace = 'shop'::regnamespace"))
        .hasSize(2 * TABLES - 1)
        .allMatch(each -> each.endsWith("|true"));
    assertThat(
            SERVERS.onTarget(
                "alone", "INSERT INTO shop.item1 (code, n) VALUES ('next', 1) RETURNING id"))
        .containsExactly("" + (ROWS + 1));
  }

  /** More of them would not come to an end with many tables. */
  private static final int ATTEMPTS = 10;

  private static void awaitLoaded(RunningDaemon running) {
    await("loaded")
        .atMost(Duration.ofMinutes(5))
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return List.of("catching-up", "replicating").contains(running.phase());
            });
  }

  private static int attempts(String database) throws SQLException {
    return Integer.parseInt(
        SERVERS.onTarget(database, "SELECT epoch FROM sluice_control.checkpoint").get(0));
  }

  private static void requireMet() {
    Map<Fault, Integer> met = SERVERS.proxy().faults();
    assertThat(met.get(Fault.CONFLICT)).isGreaterThan(10);
    assertThat(met.get(Fault.CATALOG_MISMATCH)).isGreaterThan(10);
  }

  private static void write(String database, AtomicBoolean stop) {
    try (Connection session = SERVERS.connectToSource(database)) {
      for (int i = 0; !stop.get() && i < 100_000; i++) {
        String table = "shop.item" + (1 + i % TABLES);
        Sql.texts(
            session,
            "UPDATE %s SET n = n + 1 WHERE id = %d".formatted(table, 1 + i * 7 % ROWS),
            "DELETE FROM %s WHERE id = %d".formatted(table, 1 + i * 13 % ROWS + ROWS),
            "INSERT INTO %s (code, n) VALUES ('w%d', %d)".formatted(table, i, i));
        Thread.sleep(5);
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void requireEqual(String database) throws SQLException {
    for (int table = 1; table <= TABLES; table++) {
      String rows = "SELECT i::text FROM shop.item%d i ORDER BY id".formatted(table);
      List<String> expected = SERVERS.onSource(database, rows);
      assertThat(expected).hasSizeGreaterThan(ROWS / 2);
      assertThat(SERVERS.onTarget(database, rows)).isEqualTo(expected);
    }
  }

  private static List<String> indexes(String database) throws SQLException {
    return SERVERS.onTarget(
        database,
        "SELECT c.relname || '|' || indisvalid FROM pg_index JOIN pg_class c"
            + " ON c.oid = indexrelid WHERE c.relnamespace = 'shop'::regnamespace");
  }

  private static void create(String database) throws SQLException {
    SERVERS.createDatabase(database);
    List<String> statements = new ArrayList<>(List.of("CREATE SCHEMA shop"));
    for (int table = 1; table <= TABLES; table++) {
      statements.add(
          ("CREATE TABLE shop.item%d (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,"
                  + " code varchar(40) UNIQUE, n int CHECK (n >= 0), other int%s)")
              .formatted(table, table == 1 ? "" : " REFERENCES shop.item1 (id)"));
      statements.add("CREATE INDEX by_n_%1$d ON shop.item%1$d (n)".formatted(table));
      statements.add(
          "INSERT INTO shop.item%d (code, n) SELECT 'c' || i, i FROM generate_series(1, %d) i"
              .formatted(table, ROWS));
    }
    SERVERS.onSource(database, statements.toArray(String[]::new));
  }

  private TaskFolder task(String database) throws Exception {
    return SERVERS
        .task(folder.resolve(database), database)
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE, CommitRate: 300},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.1,"
                + " RecoverableErrorThrottling: false}}");
  }
}
