package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loads that break off while one table is half loaded: the target holds the rows of the table
 * {@code gated} up for as long as a test wants.
 */
@ExtendWith(SharedBroker.class)
class LoadResumeTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** The constraint comes with the table, whoever makes it, and waits with each row. */
  private static final String[] GATE = {
    """
    CREATE FUNCTION public.gate() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN true; END $$
    """,
    """
    CREATE FUNCTION public.close_gate() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('public.gated') IS NOT NULL AND NOT EXISTS (
          SELECT FROM pg_constraint WHERE conrelid = to_regclass('public.gated') AND conname = 'gate')
      THEN
        ALTER TABLE public.gated ADD CONSTRAINT gate CHECK (public.gate()) NO INHERIT;
      END IF;
    END $$
    """,
    "CREATE EVENT TRIGGER gates ON ddl_command_end WHEN TAG IN ('CREATE TABLE')"
        + " EXECUTE FUNCTION public.close_gate()",
    "ALTER EVENT TRIGGER gates ENABLE ALWAYS"
  };

  /** For an index that waits with each row. */
  private static final String WAITING =
      """
      CREATE FUNCTION public.waiting(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(43); RETURN n; END $$
      """;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void keepsWhatIsWholeAndPassesOverWhatTheSecondSnapshotHas(int lanes) throws Exception {
    DdlTask task =
        task(
            "resumed" + lanes,
            lanes == 1
                ? ""
                : "TargetMetadata: { BatchApplyEnabled: true, ParallelApplyThreads: 3 }",
            lanes == 1 ? "" : ", BatchApplyPreserveTransaction: false");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(10);
      // In the log of the first snapshot, and of kept tables after their start.
      task.onSource(
          "INSERT INTO kept SELECT i, 'while it loads' FROM generate_series(2001, 2100) i",
          "UPDATE gated SET name = 'while it loads' WHERE id % 3 = 0",
          "ALTER TABLE altered_early ADD COLUMN more int DEFAULT 7",
          "INSERT INTO altered_early (id, name, more) VALUES (5000, 'new', 8)");
    }
    String attempts = attempts(task);
    task.onSource(
        "DELETE FROM kept WHERE id % 2 = 0",
        "UPDATE kept SET name = 'while it is down' WHERE id % 5 = 0",
        "BEGIN; UPDATE kept SET name = 'both' WHERE id = 1; UPDATE gated SET name = 'both'"
            + " WHERE id = 1; INSERT INTO altered_down VALUES (6000, 'both'); COMMIT",
        "DELETE FROM gated WHERE id % 4 = 1",
        "INSERT INTO gated SELECT i, 'while it is down' FROM generate_series(3001, 3100) i",
        "ALTER TABLE gated ALTER COLUMN id TYPE bigint",
        "UPDATE altered_down SET name = 'before'",
        "ALTER TABLE altered_down RENAME COLUMN name TO title",
        "UPDATE altered_down SET title = 'after' WHERE id < 100",
        "TRUNCATE emptied",
        "INSERT INTO emptied VALUES (1, 'after the truncate')",
        "VACUUM FULL rewritten",
        "UPDATE rewritten SET name = 'after the rewrite' WHERE id < 50",
        "ALTER TABLE renamed RENAME TO renamed_now",
        "UPDATE renamed_now SET name = 'under its new name' WHERE id < 50",
        "DROP TABLE dropped",
        "ALTER TABLE parts ATTACH PARTITION part_2 FOR VALUES FROM (1000) TO (2000)",
        "INSERT INTO parts VALUES (1500, 'through the root')",
        "CREATE TABLE made (id int PRIMARY KEY, name text)",
        "INSERT INTO made VALUES (1, 'made while it is down')");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onSource(
          "UPDATE kept SET name = 'at the end' WHERE id = 3",
          "UPDATE gated SET name = 'at the end' WHERE id = 3",
          "INSERT INTO made VALUES (2, 'at the end')");
      task.assertEqual(running);
      assertThat(attempts(task)).isNotEqualTo(attempts);
      assertThat(attemptOf(task, "kept", "emptied", "rewritten")).isEqualTo("1,1,1");
      assertThat(task.target("SELECT count(DISTINCT attempt) FROM sluice_control.load_segment"))
          .isEqualTo("2");
    }
  }

  @Test
  void onlyTheTablesThatChangedUnderALoadAreLoadedAgain() throws Exception {
    DdlTask task = task("changed", "", "");
    task.onSource(
        // One worker takes the largest first, and all of these after it.
        "INSERT INTO gated SELECT i, repeat('x', 100) FROM generate_series(10000, 30000) i");
    try (Gate closed = Gate.close(task);
        RunningDaemon running =
            RunningDaemon.start(task.withLoadSetting("MaxFullLoadSubTasks: 1").config())) {
      running.awaitPhase("full-load");
      closed.awaitBegun();
      task.onSource(
          "TRUNCATE emptied",
          "INSERT INTO emptied VALUES (1, 'after the truncate')",
          "VACUUM FULL rewritten",
          "ALTER TABLE altered_early ALTER COLUMN name TYPE varchar(300)",
          "INSERT INTO kept SELECT i, 'while it loads' FROM generate_series(2001, 2100) i");
      closed.open();

      running.awaitPhase("replicating");

      task.assertEqual(running);
      assertThat(attemptOf(task, "gated", "kept", "renamed")).isEqualTo("1,1,1");
      assertThat(attemptOf(task, "emptied", "rewritten", "altered_early")).isEqualTo("2,2,2");
    }
  }

  @Test
  void aLoadThatBrokeOffBeforeAnyTableWasWholeBeginsWithANewSlot() throws Exception {
    DdlTask task = task("early", "", "");
    task.onSource(
        "DROP TABLE kept, altered_early, altered_down, emptied, rewritten, renamed, dropped,"
            + " parts, part_2, item");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitBegun();
    }
    String attempts = attempts(task);
    String before =
        task.source(
            "SELECT confirmed_flush_lsn FROM pg_replication_slots"
                + " WHERE database = current_database()");
    task.onSource("UPDATE gated SET name = 'while it is down' WHERE id % 2 = 0");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(attempts(task)).isNotEqualTo(attempts);
      assertThat(
              task.source(
                  "SELECT confirmed_flush_lsn > '"
                      + before
                      + "' FROM pg_replication_slots WHERE database = current_database()"))
          .isEqualTo("t");
    }
  }

  @Test
  void whatAKeptTableGotAfterItsRowsStaysAndTheRestIsMadeHoweverOftenItIsBrokenOff()
      throws Exception {
    DdlTask task = task("completed", "", "").runningSourceCode();
    task.onSource(
        WAITING,
        "CREATE INDEX made ON kept (name)",
        "CREATE INDEX waits ON kept (public.waiting(id))",
        "CREATE INDEX later ON gated (name)");
    String oid = "SELECT to_regclass('public.made')::oid::text";
    String made;
    try (Connection holding = SERVERS.target().connect(task.name());
        Statement statement = holding.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(43)");
      try (Gate closed = Gate.close(task);
          RunningDaemon running = RunningDaemon.start(task.config())) {
        running.awaitPhase("full-load");
        closed.awaitWhole(10);
        await().atMost(PATIENCE).until(() -> task.target(oid) != null);
        made = task.target(oid);
      }
      task.onSource("UPDATE kept SET name = 'while it is down' WHERE id % 5 = 0");
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        running.awaitPhase("completing");
        assertThat(task.target("SELECT to_regclass('public.waits')::oid::text")).isNull();
      }
    }
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(task.target(oid)).isEqualTo(made);
      assertThat(attemptOf(task, "kept", "gated")).isEqualTo("1,2");
      String indexes =
          "SELECT string_agg(indexdef, ' ' ORDER BY indexdef) FROM pg_indexes"
              + " WHERE schemaname = 'public'";
      assertThat(task.target(indexes)).isEqualTo(task.source(indexes));
    }
  }

  /** The source keeps its log for as long as nobody reads it, and indexes may take hours. */
  @Test
  void aCaptureThatIsAwayAtTheLoadsEndIsBegunAgainWhileTablesAreCompleted() throws Exception {
    DdlTask task = task("away", "", "").runningSourceCode();
    // Longer than the test: what failed during the load is not begun again by its retries.
    Files.writeString(
        task.file(),
        Files.readString(task.file())
            .replace("RecoverableErrorInterval: 0.2", "RecoverableErrorInterval: 3600"));
    task.onSource(WAITING, "CREATE INDEX waits ON kept (public.waiting(id))");
    try (Connection holding = SERVERS.target().connect(task.name());
        Statement statement = holding.createStatement();
        Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      statement.execute("SELECT pg_advisory_lock(43)");
      running.awaitPhase("full-load");
      closed.awaitBegun();
      await("the capture's session ends")
          .atMost(PATIENCE)
          .until(
              () ->
                  task.source(
                          "SELECT count(pg_terminate_backend(active_pid)) FROM pg_replication_slots"
                              + " WHERE database = current_database() AND active")
                      .equals("1"));
      await("the capture is away")
          .atMost(PATIENCE)
          .until(() -> running.daemon().status().source().position() == null);
      closed.open();
      running.awaitPhase("completing");
      task.onSource("UPDATE kept SET name = 'while indexes are built' WHERE id % 5 = 0");
      await("the capture is back")
          .atMost(PATIENCE)
          .until(() -> running.daemon().status().source().changes() == 200);
      assertThat(running.phase()).isEqualTo("completing");

      statement.execute("SELECT pg_advisory_unlock(43)");
      running.awaitPhase("replicating");
      task.assertEqual(running);
    }
  }

  @Test
  void whatRestsOnATableThatIsMadeAnewIsMadeAnewWithIt() throws Exception {
    DdlTask task = task("inherited", "", "");
    task.onSource(
        "CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (gated)",
        "INSERT INTO heir SELECT i, 'heir' FROM generate_series(5000, 5100) i",
        "CREATE SEQUENCE shared OWNED BY gated.id",
        "ALTER TABLE kept ALTER COLUMN id SET DEFAULT nextval('shared')");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(11);
    }
    task.onSource(
        "UPDATE heir SET name = 'while it is down'", "DELETE FROM ONLY gated WHERE id < 100");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(task.target("SELECT count(DISTINCT attempt) FROM sluice_control.load_segment"))
          .isEqualTo("1");
    }
  }

  @Test
  void aLoadWhoseLogIsGoneBeginsAgain() throws Exception {
    DdlTask task = task("lost", "", "");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(10);
    }
    // The server lets go of it some time after the daemon has.
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                task.source(
                        "SELECT count(*) FROM pg_replication_slots"
                            + " WHERE database = current_database() AND active")
                    .equals("0"));
    task.onSource(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
            + " WHERE database = current_database()",
        "UPDATE kept SET name = 'nobody keeps this'");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(task.target("SELECT count(DISTINCT attempt) FROM sluice_control.load_segment"))
          .isEqualTo("1");
    }
  }

  @Test
  void triggersAreNotNeededToPassOverWhatWasAlteredMeanwhile() throws Exception {
    DdlTask task = task("untold", "", "");
    task.onSource(
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reads') THEN"
            + " CREATE ROLE reads LOGIN REPLICATION; END IF; END $$",
        "GRANT CREATE ON DATABASE untold TO reads",
        "GRANT ALL ON SCHEMA public TO reads",
        "DROP TABLE parts, part_2",
        "ALTER TABLE item OWNER TO reads",
        "ALTER TABLE kept OWNER TO reads",
        "ALTER TABLE gated OWNER TO reads",
        "ALTER TABLE altered_early OWNER TO reads",
        "ALTER TABLE altered_down OWNER TO reads",
        "ALTER TABLE emptied OWNER TO reads",
        "ALTER TABLE rewritten OWNER TO reads",
        "ALTER TABLE renamed OWNER TO reads",
        "ALTER TABLE dropped OWNER TO reads");
    task.configAs("reads");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(8);
    }
    task.onSource(
        "UPDATE kept SET name = 'while it is down' WHERE id % 5 = 0",
        "UPDATE altered_down SET name = 'before'",
        "ALTER TABLE altered_down ADD COLUMN more int DEFAULT 3",
        "UPDATE altered_down SET more = 4 WHERE id < 100",
        "UPDATE gated SET name = 'before'",
        "ALTER TABLE gated DROP COLUMN name",
        "DELETE FROM gated WHERE id < 100");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onSource("UPDATE altered_down SET more = 5 WHERE id = 7");
      task.assertEqual(running);
      assertThat(attemptOf(task, "kept", "altered_down", "gated")).isEqualTo("1,2,2");
    }
  }

  @Test
  void aViewThatIsWholeIsKeptAsLongAsItsDefinitionIsTheSame() throws Exception {
    DdlTask task = task("viewed", "", "").withViews();
    task.onSource(
        "CREATE VIEW seen AS SELECT id, name FROM kept",
        "CREATE VIEW middle AS SELECT id FROM kept",
        "CREATE VIEW above AS SELECT id FROM middle");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(13);
    }
    task.onSource(
        "UPDATE kept SET name = 'while it is down'",
        "CREATE OR REPLACE VIEW middle AS SELECT id FROM kept WHERE id <= 600",
        "DELETE FROM kept WHERE id <= 100");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(attemptOf(task, "kept", "seen", "middle", "above")).isEqualTo("1,1,2,2");
      assertThat(task.target("SELECT count(*) FROM seen WHERE name <> 'while it is down'"))
          .isEqualTo("1000");
      assertThat(task.target("SELECT count(*) FROM middle")).isEqualTo("500");
      assertThat(task.target("SELECT count(*) FROM above")).isEqualTo("500");
      assertThat(task.target("SELECT count(*) FROM kept WHERE name = 'while it is down'"))
          .isEqualTo("900");
    }
  }

  @Test
  void aViewWhoseRowsWereTruncatedUnderTheLoadIsLoadedAgain() throws Exception {
    DdlTask task = task("under", "", "").withViews();
    task.onSource(
        "INSERT INTO gated SELECT i, repeat('x', 100) FROM generate_series(10000, 30000) i",
        "CREATE VIEW seen AS SELECT id, name FROM emptied",
        "CREATE VIEW above AS SELECT count(*) AS n FROM seen",
        "CREATE VIEW by_root AS SELECT id, name FROM parts",
        "CREATE VIEW unconcerned AS SELECT id FROM kept",
        "CREATE MATERIALIZED VIEW stored AS SELECT id, name FROM kept WHERE id <= 10");
    try (Gate closed = Gate.close(task);
        RunningDaemon running =
            RunningDaemon.start(task.withLoadSetting("MaxFullLoadSubTasks: 1").config())) {
      running.awaitPhase("full-load");
      closed.awaitBegun();
      task.onSource(
          "TRUNCATE emptied",
          "INSERT INTO emptied VALUES (1, 'after the truncate')",
          "VACUUM FULL part_1",
          "UPDATE kept SET name = 'while it loads'",
          "REFRESH MATERIALIZED VIEW stored");
      closed.open();
      running.awaitPhase("replicating");

      assertThat(task.target("SELECT string_agg(name, ',') FROM seen"))
          .isEqualTo("after the truncate");
      assertThat(task.target("SELECT n FROM above")).isEqualTo("1");
      assertThat(task.target("SELECT count(*) FROM by_root")).isEqualTo("500");
      assertThat(task.target("SELECT count(*) FROM stored WHERE name = 'while it loads'"))
          .isEqualTo("10");
      assertThat(attemptOf(task, "gated", "unconcerned")).isEqualTo("1,1");
      assertThat(attemptOf(task, "seen", "above", "by_root", "stored")).isEqualTo("2,2,2,2");
    }
  }

  private DdlTask task(String name, String setting, String tuning) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), setting);
    task.withTuning(tuning);
    for (String table :
        new String[] {
          "kept",
          "gated",
          "altered_early",
          "altered_down",
          "emptied",
          "rewritten",
          "renamed",
          "dropped"
        }) {
      task.onSource(
          "CREATE TABLE " + table + " (id int PRIMARY KEY, name text)",
          "INSERT INTO " + table + " SELECT i, 'row ' || i FROM generate_series(1, 1000) i");
    }
    task.onSource(
        "INSERT INTO item SELECT i, 'item', i FROM generate_series(1, 100) i",
        "CREATE TABLE parts (id int PRIMARY KEY, name text) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (0) TO (1000)",
        "INSERT INTO parts SELECT i, 'part' FROM generate_series(1, 500) i",
        "CREATE TABLE part_2 (id int PRIMARY KEY, name text)",
        "INSERT INTO part_2 SELECT i, 'not yet a part' FROM generate_series(1000, 1100) i");
    task.onTarget(GATE);
    return task;
  }

  private static String attempts(DdlTask task) throws SQLException {
    return task.target(
        "SELECT string_agg(source_table || ' ' || attempt || done, ', ' ORDER BY source_table)"
            + " FROM sluice_control.load_segment");
  }

  /** Counted among those attempts that began to load something. */
  private static String attemptOf(DdlTask task, String... tables) throws SQLException {
    return task.target(
        "SELECT string_agg(number::text, ',' ORDER BY place) FROM (SELECT source_table,"
            + " dense_rank() OVER (ORDER BY attempt) AS number"
            + " FROM sluice_control.load_segment) ranked JOIN unnest(ARRAY['"
            + String.join("','", tables)
            + "']) WITH ORDINALITY asked (name, place) ON name = source_table");
  }

  /** Closed as long as its session holds the lock for which each row of the table waits. */
  private record Gate(DdlTask task, Connection connection) implements AutoCloseable {

    static Gate close(DdlTask task) throws SQLException {
      Connection connection = task.targetServer().connect(task.name());
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT pg_advisory_lock(42)");
      }
      return new Gate(task, connection);
    }

    /** Until so many tables are whole; the gated one cannot be. */
    void awaitWhole(int tables) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(
                          task.target(
                              "SELECT count(*) FROM (SELECT FROM sluice_control.load_segment"
                                  + " GROUP BY source_schema, source_table"
                                  + " HAVING bool_and(done)) whole"))
                      .isEqualTo(Integer.toString(tables)));
    }

    /** Until a row of the table waits. */
    void awaitBegun() {
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(
                          task.target(
                              "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory'"
                                  + " AND objid = 42 AND NOT granted AND database = (SELECT oid"
                                  + " FROM pg_database WHERE datname = current_database())"))
                      .isEqualTo("t"));
    }

    void open() throws SQLException {
      connection.close();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
