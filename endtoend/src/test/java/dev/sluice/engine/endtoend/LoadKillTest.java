package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the daemon at random moments of a load. Its tables are split into many segments, one of
 * them by ranges of a column that changes, and get indexes after their rows. Meanwhile the source
 * is written to, and tables are truncated, rewritten and altered; some have a filter or other
 * columns on the target. The test ends after a number of kills during the copying of rows, and
 * prints the phases of all kills. The number is small here; the long form is {@code
 * -Dsluice.kills=10}.
 */
class LoadKillTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int KILLS = Integer.getInteger("sluice.kills", 3);
  private static final long SEED = Long.getLong("sluice.seed", 20261122L);
  private static final String DATABASE = "load_killed";
  private static final int TABLES = 6;
  private static final int ROWS = 30_000;

  /** So that most kills find tables half loaded, which are copied again. */
  private static final int ROWS_PER_SECOND = 30_000 / KILLS;

  /** The altered table, which is loaded again with its new columns. */
  private static final String ALTERED = "t0";

  /** The table that is split by ranges, and copied first; its rows are only written. */
  private static final String RANGED = "t5";

  /**
   * More of its keys than rows are kept, and a load that goes on gives its ranges up: so many
   * writes there are between two starts at the most, however long these take.
   */
  private static final int WRITES_TO_RANGED = 200;

  /** A view that is loaded too, and cannot be read before the test lets it: no load ends before. */
  private static final String GATE = "app.gate";

  private static final String RULES =
      """
          - {rule-type: selection, rule-id: "7", rule-name: "7", rule-action: include,
             object-locator: {schema-name: app, table-name: gate, table-type: view}}
          - {rule-type: table-settings, rule-id: "6", rule-name: "6",
             object-locator: {schema-name: app, table-name: t5},
             parallel-load: {type: ranges, columns: [number], boundaries:
               [["3000"], ["6000"], ["9000"], ["12000"], ["15000"], ["18000"], ["21000"], ["25000"]]}}
          - {rule-type: selection, rule-id: "2", rule-name: "2", rule-action: include,
             object-locator: {schema-name: app, table-name: t1},
             filters: [
               {filter-type: source, column-name: number, filter-conditions: [
                 {filter-operator: lte, value: "20000"}, {filter-operator: "null"}]}]}
          - {rule-type: transformation, rule-id: "3", rule-name: "3", rule-target: table,
             rule-action: add-suffix, value: _too, object-locator: {schema-name: app, table-name: t2}}
          - {rule-type: transformation, rule-id: "4", rule-name: "4", rule-target: column,
             rule-action: rename, value: text,
             object-locator: {schema-name: app, table-name: t2, column-name: words}}
          - {rule-type: transformation, rule-id: "5", rule-name: "5", rule-target: column,
             rule-action: add-column, value: label, expression: "upper($words)||':'||$id",
             data-type: {type: clob}, object-locator: {schema-name: app, table-name: t2}}
      """;

  /** Pairs of queries on source and target that must have equal results. */
  private static final Map<String, String> SAME_ROWS =
      Map.of(
          "SELECT t::text FROM app.t0 t",
          "SELECT t::text FROM app.t0 t",
          "SELECT t::text FROM app.t1 t WHERE number <= 20000 OR number IS NULL",
          "SELECT t::text FROM app.t1 t",
          "SELECT ROW(id, number, words, upper(words) || ':' || id)::text AS t FROM app.t2",
          "SELECT t::text FROM app.t2_too t",
          "SELECT t::text FROM app.t3 t",
          "SELECT t::text FROM app.t3 t",
          "SELECT t::text FROM app.t4 t",
          "SELECT t::text FROM app.t4 t",
          "SELECT t::text FROM app.t5 t",
          "SELECT t::text FROM app.t5 t");

  private static final String COPYING = "full-load";

  private static final String INDEXES =
      "SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes WHERE schemaname ="
          + " 'app'";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @Test
  @Timeout(1800)
  void aLoadGoesOnWhereverItIsKilledAndCopiesNoTableOrRangeTwiceThatIsWhole(@TempDir Path folder)
      throws Exception {
    SERVERS.source().createDatabase(DATABASE);
    SERVERS.target().createDatabase(DATABASE);
    TaskFolder slow =
        TaskFolder.of(folder, DATABASE, SERVERS.source(), SERVERS.target(), DATABASE, "app")
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE, CommitRate: 300,"
                    + " MaxFullLoadSubTasks: 2}, Sluice: {LoadSegmentSize: 1, LoadRowsPerSecond: "
                    + ROWS_PER_SECOND
                    + "},"
                    + " ErrorBehavior: {RecoverableErrorInterval: 0.2},"
                    + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
            .replacing(
                "object-locator: { schema-name: app, table-name: \"%\" }\n",
                "object-locator: { schema-name: app, table-name: \"t[02-9]\" }\n" + RULES);
    Path task = slow.write();
    Random random = new Random(SEED);
    try (Connection ddl = SERVERS.source().connect(DATABASE);
        Connection gate = SERVERS.source().connect(DATABASE);
        Connection marks = SERVERS.target().connect(DATABASE)) {
      run(gate, "SELECT pg_advisory_lock(42)");
      fill(ddl);
      Writes writes = new Writes(SEED);
      FutureTask<Void> writing = new FutureTask<>(writes, null);
      new Thread(writing, "writes").start();
      Map<String, Integer> kills = new TreeMap<>();
      int rangesKept = 0;
      while (kills.getOrDefault(COPYING, 0) < KILLS) {
        Map<String, String> before = whole(marks);
        writes.allowToRanged(WRITES_TO_RANGED);
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          if (random.nextInt(4) > 0) {
            daemon.awaitPassingPhase(COPYING);
          }
          Thread.sleep(random.nextInt(2_000));
          alterSomething(ddl, random);
          Thread.sleep(random.nextInt(2_000));
          kills.merge(phase(daemon), 1, Integer::sum);
          daemon.kill();
        }
        endWaitingAtGate(ddl);
        assertThat(whole(marks)).containsAllEntriesOf(before);
        rangesKept += (int) before.keySet().stream().filter(name -> name.contains(" ")).count();
        alterSomething(ddl, random);
      }
      System.out.printf(
          "seed %d: kills by phase %s; finished ranges kept over kills: %d%n",
          SEED, kills, rangesKept);
      Map<String, String> before = whole(marks);
      slow.replacing("LoadRowsPerSecond: " + ROWS_PER_SECOND, "LoadRowsPerSecond: 0").write();
      run(gate, "SELECT pg_advisory_unlock(42)");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        writes.stop();
        writing.get();
        daemon.awaitAllApplied();
        assertThat(whole(marks)).containsAllEntriesOf(before);
        try (Connection from = SERVERS.source().connect(DATABASE)) {
          for (Map.Entry<String, String> same : SAME_ROWS.entrySet()) {
            assertThat(rows(marks, same.getValue()))
                .as(same.getKey())
                .isEqualTo(rows(from, same.getKey()));
          }
          assertThat(text(marks, INDEXES)).isEqualTo(text(from, INDEXES));
        }
      }
    }
  }

  @Test
  void aLoadAloneThatIsKilledLeavesNoSlot(@TempDir Path folder) throws Exception {
    SERVERS.source().createDatabase("alone");
    SERVERS.target().createDatabase("alone");
    Path task =
        TaskFolder.of(folder, "alone", SERVERS.source(), SERVERS.target(), "alone", "app")
            .replacing("full-load-and-cdc", "full-load")
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " Sluice: {LoadRowsPerSecond: 10}}")
            .write();
    String slots = "SELECT count(*) FROM pg_replication_slots WHERE database = 'alone'";
    try (Connection connection = SERVERS.source().connect("alone")) {
      run(
          connection,
          "CREATE SCHEMA app",
          "CREATE TABLE app.t (id int PRIMARY KEY)",
          "INSERT INTO app.t SELECT generate_series(1, 30000)");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPassingPhase(COPYING);
        assertThat(text(connection, slots)).isEqualTo("1");
        daemon.kill();
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(text(connection, slots)).isEqualTo("0"));
    }
  }

  private static void fill(Connection connection) throws SQLException {
    run(connection, "CREATE SCHEMA app");
    for (int table = 0; table < TABLES; table++) {
      run(
          connection,
          "CREATE TABLE app.t%d (id bigint PRIMARY KEY, number int, words text)".formatted(table),
          "CREATE INDEX t%d_number ON app.t%d (number, id)".formatted(table, table),
          "CREATE INDEX t%d_short ON app.t%d ((left(words, 20)))".formatted(table, table),
          "INSERT INTO app.t%d SELECT i, i, repeat('row ' || i || ' ', 10) FROM generate_series(1, %d) i"
              .formatted(table, ROWS + 1_000 * table));
    }
    run(
        connection,
        "ALTER TABLE app.t1 REPLICA IDENTITY FULL",
        "CREATE FUNCTION app.opened() RETURNS int LANGUAGE plpgsql AS $$"
            + " BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(42); RETURN 1; END $$",
        "CREATE VIEW " + GATE + " AS SELECT app.opened() AS opened");
  }

  /** Of a killed daemon: the server does not notice while they wait. */
  private static void endWaitingAtGate(Connection connection) throws SQLException {
    run(
        connection,
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT"
            + " granted");
  }

  private static void alterSomething(Connection connection, Random random) throws SQLException {
    String table = "app.t" + random.nextInt(TABLES);
    if (table.endsWith(RANGED)) {
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> run(connection, "VACUUM FULL " + table);
      case 1 -> run(connection, "TRUNCATE " + table);
      case 2 ->
          run(
              connection,
              "ALTER TABLE app."
                  + ALTERED
                  + " ALTER COLUMN number TYPE "
                  + (random.nextBoolean() ? "bigint" : "numeric"));
      default -> {}
    }
  }

  private static String phase(DaemonProcess daemon) throws InterruptedException {
    try {
      return daemon.status().path("phase").asText();
    } catch (IOException e) {
      return "not up yet";
    }
  }

  private static boolean isThere(Connection marks) throws SQLException {
    return text(marks, "SELECT to_regclass('sluice_control.load_segment')") != null;
  }

  /** The attempt that loaded each complete table or range, without the altered table. */
  private static Map<String, String> whole(Connection marks) throws SQLException {
    Map<String, String> whole = new TreeMap<>();
    if (!isThere(marks)) {
      return whole;
    }
    try (Statement statement = marks.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                SELECT source_table, string_agg(DISTINCT attempt::text, ',')
                FROM sluice_control.load_segment
                WHERE source_table NOT IN ('%1$s', '%2$s') GROUP BY 1 HAVING bool_and(done)
                UNION ALL
                SELECT source_table || ' range ' || segment, attempt::text
                FROM sluice_control.load_segment WHERE source_table = '%2$s' AND done
                """
                    .formatted(ALTERED, RANGED))) {
      while (rows.next()) {
        whole.put(rows.getString(1), rows.getString(2));
      }
    }
    return whole;
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT t FROM (" + sql + ") r ORDER BY t COLLATE \"C\"")) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Transactions over two tables each, with new keys, moved keys and keys that come back. */
  private static final class Writes implements Runnable {
    private final Random random;
    private final AtomicInteger leftToRanged = new AtomicInteger();
    private volatile boolean stopping;

    private Writes(long seed) {
      this.random = new Random(seed);
    }

    void stop() {
      stopping = true;
    }

    /** From now on; no more than that. */
    void allowToRanged(int writes) {
      leftToRanged.set(writes);
    }

    @Override
    public void run() {
      try (Connection connection = SERVERS.source().connect(DATABASE)) {
        connection.setAutoCommit(false);
        long made = 1_000_000;
        while (!stopping) {
          for (String table : List.of(table(), table())) {
            LoadKillTest.run(connection, statement("app." + table, made++));
          }
          connection.commit();
          Thread.sleep(3);
        }
      } catch (SQLException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private String table() {
      String table = "t" + random.nextInt(TABLES);
      boolean isTooMuch = table.equals(RANGED) && leftToRanged.getAndDecrement() <= 0;
      return isTooMuch ? "t" + random.nextInt(TABLES - 1) : table;
    }

    private String statement(String table, long made) {
      int id = 1 + random.nextInt(ROWS);
      return switch (random.nextInt(6)) {
        case 0 ->
            "INSERT INTO %s VALUES (%d, 1, 'new') ON CONFLICT DO NOTHING".formatted(table, made);
        case 1 -> "DELETE FROM %s WHERE id = %d".formatted(table, id);
        case 2 ->
            "INSERT INTO %s VALUES (%d, 2, 'back') ON CONFLICT DO NOTHING".formatted(table, id);
        case 3 ->
            // Rows go out of the filter, and come in.
            "UPDATE %s SET number = %d WHERE id = %d"
                .formatted(table, random.nextInt(2 * 20_000), id);
        case 4 -> "UPDATE %s SET id = %d WHERE id = %d".formatted(table, made, id);
        default -> "UPDATE %s SET words = words || '!' WHERE id = %d".formatted(table, id);
      };
    }
  }
}
