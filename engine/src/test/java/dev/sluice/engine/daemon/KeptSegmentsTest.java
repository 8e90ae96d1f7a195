package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads that break off while some key ranges of a table are on the target and others are not: the
 * target holds rows up whose place is from 2500 to 2999, for as long as a test wants. The ranges
 * are below 1000, 2000 and 3000, and what is left.
 */
@ExtendWith(SharedBroker.class)
class KeptSegmentsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String[] GATE = {
    """
    CREATE FUNCTION public.gate(place int) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF place BETWEEN 2500 AND 2999 THEN PERFORM pg_advisory_xact_lock_shared(42); END IF;
      RETURN true;
    END $$
    """,
    """
    CREATE FUNCTION public.close_gates() RETURNS event_trigger LANGUAGE plpgsql AS $$
    DECLARE gated regclass;
    BEGIN
      FOR gated IN SELECT a.attrelid FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
          WHERE a.attname = 'place' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND conname = 'gate')
      LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT gate CHECK (public.gate(place))', gated);
      END LOOP;
    END $$
    """,
    "CREATE EVENT TRIGGER gates ON ddl_command_end WHEN TAG IN ('CREATE TABLE')"
        + " EXECUTE FUNCTION public.close_gates()",
    "ALTER EVENT TRIGGER gates ENABLE ALWAYS"
  };

  /** Every second key in a range of its own, so that neighbours lie in different segments. */
  private static final String ROWS =
      " SELECT i, (i * 7) %% 4000, 'row ' || i, %s FROM generate_series(1, 4000) i";

  /** Stored out of line, so that an UPDATE of another column leaves it out of the log. */
  private static final String LARGE =
      "(SELECT string_agg(md5(i || '-' || n), '') FROM generate_series(1, 100) n)";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir private Path folder;

  @Test
  void keepsTheRangesThatAreWholeWhereverTheirRowsHaveGoneSince() throws Exception {
    DdlTask task = task("moved", "ranged");
    makeTable(task, "ranged");
    try (Gate closed = Gate.close(task)) {
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        running.awaitPhase("full-load");
        closed.awaitWhole(3);
        task.onSource(moves("ranged", 0));
      }
      task.onSource(moves("ranged", 1));
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        running.awaitPhase("full-load");
        closed.awaitBegun();
        task.onSource(moves("ranged", 2));
      }
      task.onSource(moves("ranged", 3));
    }
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onSource(moves("ranged", 4));
      task.assertEqual(running);
      assertThat(attempts(task, "ranged")).isEqualTo("1,1,2,1");
      assertThat(
              task.target(
                  "SELECT count(DISTINCT start_position) FROM sluice_control.load_segment"
                      + " WHERE source_table = 'ranged'"))
          .isEqualTo("1");
    }
  }

  @Test
  void partitionsFiltersAndOtherNamesAreNoHindrance() throws Exception {
    DdlTask task = task("shapes", "parted");
    rules(task, "named", "filtered");
    makeParted(task);
    makeTable(task, "named");
    makeTable(task, "filtered");
    task.onSource("ALTER TABLE filtered REPLICA IDENTITY FULL");
    other(
        task,
        """
                - rule-type: transformation
                  rule-id: "30"
                  rule-name: column
                  rule-target: column
                  rule-action: rename
                  value: number
                  object-locator: { schema-name: public, table-name: named, column-name: id }
                - rule-type: transformation
                  rule-id: "31"
                  rule-name: table
                  rule-target: table
                  rule-action: add-suffix
                  value: _too
                  object-locator: { schema-name: public, table-name: named }
                - rule-type: selection
                  rule-id: "32"
                  rule-name: filter
                  rule-action: include
                  object-locator: { schema-name: public, table-name: filtered }
                  filters:
                    - filter-type: source
                      column-name: id
                      filter-conditions: [ { filter-operator: lte, value: "3000" } ]
        """);
    Files.writeString(
        task.file(), Files.readString(task.file()).replace("\"%\" }\n", "\"[i-z]%\" }\n"));
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      // Of two partitions four ranges each; one of the second waits.
      closed.awaitWhole(7 + 3 + 3);
      for (String table : new String[] {"parted", "named", "filtered"}) {
        task.onSource(moves(table, 0));
      }
    }
    for (String table : new String[] {"parted", "named", "filtered"}) {
      task.onSource(moves(table, 1));
    }
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      for (String table : new String[] {"parted", "named", "filtered"}) {
        task.onSource(moves(table, 2));
      }
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertSame(task, "SELECT t FROM parted t", "SELECT t FROM parted t");
      assertSame(
          task,
          "SELECT ROW(id, place, name, large) t FROM named",
          "SELECT ROW(number, place, name, large) t FROM named_too");
      assertSame(task, "SELECT t FROM filtered t WHERE id <= 3000", "SELECT t FROM filtered t");
      assertThat(attempts(task, "parted")).isEqualTo("1,1,1,1,1,1,2,1");
      assertThat(attempts(task, "named")).isEqualTo("1,1,2,1");
      assertThat(attempts(task, "filtered")).isEqualTo("1,1,2,1");
    }
  }

  @Test
  void aTableWhoseRowsCannotBeToldFromThoseBeforeIsLoadedAnewAndTheOthersAreKept()
      throws Exception {
    DdlTask task = task("anew", "ranged");
    String[] anew = {"truncated", "rewritten", "renamed", "unkeyed", "overwritten"};
    rules(task, anew);
    for (String table : anew) {
      makeTable(task, table);
    }
    makeTable(task, "ranged");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(6 * 3);
    }
    task.onSource(moves("ranged", 0));
    task.onSource(
        "TRUNCATE truncated",
        "INSERT INTO truncated SELECT i, i, 'after' FROM generate_series(1, 100) i",
        "ALTER TABLE rewritten ALTER COLUMN name TYPE text USING name || '!'",
        "ALTER TABLE renamed RENAME TO away",
        "UPDATE away SET name = 'away' WHERE id % 5 = 0",
        "ALTER TABLE away RENAME TO renamed",
        "ALTER TABLE unkeyed DROP CONSTRAINT unkeyed_pkey",
        "ALTER TABLE unkeyed REPLICA IDENTITY FULL",
        "UPDATE unkeyed SET name = 'unkeyed' WHERE id % 5 = 0",
        // More keys than rows are kept.
        "UPDATE overwritten SET name = 'other'");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onSource(moves("ranged", 1));
      task.onSource("UPDATE renamed SET name = 'at the end' WHERE id < 10");
      task.assertEqual(running);
      assertThat(attempts(task, "ranged")).startsWith("1,1,").endsWith(",1");
      for (String table : anew) {
        assertThat(attempts(task, table)).as(table).doesNotContain("1");
      }
    }
  }

  /**
   * The files of its segments are looked at before the slot is made, which waits for transactions;
   * what is left to load is in another file, and no key was touched. So only the log tells.
   */
  @Test
  void aPartitionThatIsTruncatedJustBeforeTheNextSnapshotIsNotKept() throws Exception {
    DdlTask task = task("emptied", "parted");
    makeParted(task);
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(7);
    }
    try (Connection open = SERVERS.source().connect(task.name());
        Statement statement = open.createStatement();
        RunningDaemon running = startBehind(statement, task)) {
      awaitSlotWaits(task);
      task.onSource("TRUNCATE part_1");
      statement.execute("COMMIT");
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(attempts(task, "parted")).doesNotContain("1");
    }
  }

  /** The new slot waits for it. */
  private static RunningDaemon startBehind(Statement transaction, DdlTask task)
      throws SQLException {
    transaction.execute("BEGIN; SELECT pg_current_xact_id()");
    return RunningDaemon.start(task.config());
  }

  private static void awaitSlotWaits(DdlTask task) {
    await(
        () ->
            task.source(
                "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'walsender'"
                    + " AND datname = current_database() AND wait_event = 'transactionid'"));
  }

  /** A change that the next snapshot has is applied by nobody. */
  @Test
  void rowsThatChangeJustBeforeTheNextSnapshotAreReadUnderIt() throws Exception {
    DdlTask task = task("just", "ranged");
    makeTable(task, "ranged");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(3);
    }
    try (Connection open = SERVERS.source().connect(task.name());
        Statement statement = open.createStatement();
        RunningDaemon running = startBehind(statement, task)) {
      awaitSlotWaits(task);
      task.onSource(
          "UPDATE ranged SET name = 'just before' WHERE id = 40",
          "DELETE FROM ranged WHERE id = 41",
          "UPDATE ranged SET place = 3999 - place WHERE id = 42",
          "INSERT INTO ranged VALUES (-43, 5, 'new', '')");
      statement.execute("COMMIT");
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(attempts(task, "ranged")).isEqualTo("1,1,2,1");
    }
  }

  /** A change after the snapshot is in the log, and must find the row that it was made to. */
  @Test
  void rowsAreReadAgainAsTheNextSnapshotShowsThem() throws Exception {
    DdlTask task = task("reread", "ranged");
    makeTable(task, "ranged");
    try (Gate closed = Gate.close(task);
        RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("full-load");
      closed.awaitWhole(3);
    }
    task.onSource("UPDATE ranged SET name = 'touched' WHERE id BETWEEN 40 AND 43");
    try (Connection holds = SERVERS.target().connect(task.name());
        Statement statement = holds.createStatement()) {
      statement.execute("BEGIN; SELECT FROM ranged WHERE id = 40 FOR UPDATE");
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        await(
            () ->
                task.target(
                    "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND query LIKE 'DELETE FROM%'"));
        task.onSource(
            "DELETE FROM ranged WHERE id = 41",
            "UPDATE ranged SET place = 3999 - place WHERE id = 42",
            "UPDATE ranged SET id = -43 WHERE id = 43",
            "INSERT INTO ranged VALUES (43, 5, 'new', '')");
        statement.execute("COMMIT");
        running.awaitPhase("replicating");
        task.assertEqual(running);
        assertThat(attempts(task, "ranged")).isEqualTo("1,1,2,1");
      }
    }
  }

  /** Changes of rows within ranges, into others, out of them and out of the world. */
  private static String[] moves(String table, int round) {
    String rows = " WHERE id %% 40 = %d".formatted(round);
    int gone = 5 + round;
    return new String[] {
      // From each range into the next, with a large value that the log leaves out.
      "UPDATE " + table + " SET place = (place + 1000) % 4000" + rows,
      "UPDATE " + table + " SET name = 'round " + round + "' WHERE id % 40 = " + (10 + round),
      "DELETE FROM " + table + " WHERE id % 40 = " + (20 + round),
      "INSERT INTO "
          + table
          + " SELECT i, i % 4000, 'new', 'new' FROM generate_series("
          + (10_000 + 1_000 * round)
          + ", "
          + (10_200 + 1_000 * round)
          + ") i",
      // Keys that move, that change places, and that come back in another range.
      "UPDATE " + table + " SET id = id + 100000 WHERE id % 40 = " + (30 + round),
      "UPDATE " + table + " SET id = id + 200000, place = 3999 - place WHERE id % 400 = " + gone,
      "BEGIN; DELETE FROM "
          + table
          + " WHERE id = "
          + (51 + 40 * round)
          + "; INSERT INTO "
          + table
          + " VALUES ("
          + (51 + 40 * round)
          + ", 3500, 'back', 'back'); COMMIT",
      "BEGIN; UPDATE "
          + table
          + " SET id = -1 WHERE id = 92; UPDATE "
          + table
          + " SET id = 92 WHERE id = 93; UPDATE "
          + table
          + " SET id = 93 WHERE id = -1; COMMIT",
      "BEGIN; DELETE FROM " + table + "; ROLLBACK"
    };
  }

  private static void makeParted(DdlTask task) throws SQLException {
    task.onSource(
        "CREATE TABLE parted (id int, place int NOT NULL, name text, large text,"
            + " PRIMARY KEY (id, place)) PARTITION BY RANGE (place)",
        "CREATE TABLE part_1 PARTITION OF parted FOR VALUES FROM (0) TO (1500)",
        "CREATE TABLE part_2 PARTITION OF parted FOR VALUES FROM (1500) TO (10000)",
        "INSERT INTO parted" + ROWS.formatted("'small'"));
  }

  private static void makeTable(DdlTask task, String table) throws SQLException {
    task.onSource(
        "CREATE TABLE "
            + table
            + " (id int PRIMARY KEY, place int NOT NULL, name text, large text)",
        "ALTER TABLE " + table + " ALTER COLUMN large SET STORAGE EXTERNAL",
        "INSERT INTO " + table + ROWS.formatted(LARGE));
  }

  private DdlTask task(String name, String ranged) throws Exception {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "");
    // Steps that a range must not be committed in: what is before its first row that waits.
    task.withLoadSetting("CommitRate: 50");
    task.onTarget(GATE);
    rules(task, ranged);
    return task;
  }

  private static void rules(DdlTask task, String... tables) throws Exception {
    for (String table : tables) {
      other(
          task,
          """
                - rule-type: table-settings
                  rule-id: "%d"
                  rule-name: %s
                  object-locator: { schema-name: public, table-name: %s }
                  parallel-load: { type: ranges, columns: [place],
                    boundaries: [["1000"], ["2000"], ["3000"]] }
          """
              .formatted(Math.abs(table.hashCode() % 10_000) + 100, table, table));
    }
  }

  private static void other(DdlTask task, String rules) throws Exception {
    String all = "table-name: \"%\" }\n";
    Files.writeString(
        task.file(),
        Files.readString(task.file())
            .replace(all, all + rules.stripTrailing().stripIndent().indent(4)));
  }

  private static void assertSame(DdlTask task, String onSource, String onTarget)
      throws SQLException {
    String all = "SELECT string_agg(t::text, E'\\n' ORDER BY t::text COLLATE \"C\") FROM (%s) r";
    assertThat(task.target(all.formatted(onTarget)))
        .as(onSource)
        .isEqualTo(task.source(all.formatted(onSource)));
  }

  /** By segment, counted among those attempts that began to load something of the table. */
  private static String attempts(DdlTask task, String table) throws SQLException {
    return task.target(
        "SELECT string_agg(number::text, ',' ORDER BY segment) FROM (SELECT segment, source_table,"
            + " dense_rank() OVER (ORDER BY attempt) AS number FROM sluice_control.load_segment)"
            + " ranked WHERE source_table = '"
            + table
            + "'");
  }

  /** Until it is true. */
  private static void await(Callable<String> asked) {
    Awaitility.await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(asked.call()).isEqualTo("t"));
  }

  /** Closed as long as its session holds the lock for which the rows wait. */
  private record Gate(DdlTask task, Connection connection) implements AutoCloseable {

    static Gate close(DdlTask task) throws SQLException {
      Connection connection = task.targetServer().connect(task.name());
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT pg_advisory_lock(42)");
      }
      return new Gate(task, connection);
    }

    /** Until so many segments are whole, and the table {@code item}, which has one. */
    void awaitWhole(int segments) {
      await(
          "SELECT count(*) FILTER (WHERE source_table <> 'item') = "
              + segments
              + " AND count(*) FILTER (WHERE source_table = 'item') = 1"
              + " FROM sluice_control.load_segment WHERE done");
    }

    /** Until kept segments were brought forward and the others are being read. */
    void awaitBegun() {
      await(
          "SELECT count(DISTINCT attempt) = 2 AND count(DISTINCT start_position) = 1"
              + " FROM sluice_control.load_segment WHERE source_table = 'ranged'");
    }

    private void await(String sql) {
      KeptSegmentsTest.await(() -> task.target(sql));
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
