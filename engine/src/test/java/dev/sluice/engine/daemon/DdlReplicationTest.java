package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.RandomDdl;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.DdlCapture;
import dev.sluice.engine.status.SuspendedStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** DDL on real servers, through the daemon, with its data. */
@ExtendWith(SharedBroker.class)
class DdlReplicationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SEED = Long.getLong("sluice.seed", 20261121L);
  private static final int STARTS = Integer.getInteger("sluice.starts", 2);

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void tablesAreCreatedAlteredAndDroppedInOrderWithTheirData() throws Exception {
    DdlTask task = DdlTask.make(folder, "shapes", SERVERS.source(), SERVERS.target(), "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          // Columns are added with values, dropped and renamed, also the key.
          "INSERT INTO item VALUES (1, 'one', 1.5)",
          "ALTER TABLE item ADD COLUMN since timestamptz DEFAULT now(), ADD COLUMN tags text[]",
          "INSERT INTO item VALUES (2, 'two', 2.5)",
          "ALTER TABLE item RENAME COLUMN id TO number",
          "UPDATE item SET name = 'zwei' WHERE number = 2",
          "BEGIN;"
              + "INSERT INTO item VALUES (3, 'three', 3.25);"
              + "ALTER TABLE item ALTER COLUMN price TYPE numeric(8,1);"
              + "ALTER TABLE item ALTER COLUMN number TYPE bigint;"
              + "INSERT INTO item VALUES (5000000000, 'large', 4.5);"
              + "ALTER TABLE item RENAME COLUMN number TO n;"
              + "DELETE FROM item WHERE n = 1;"
              + "ALTER TABLE item DROP COLUMN tags;"
              + "INSERT INTO item (n) VALUES (6);"
              + "COMMIT",
          "BEGIN; ALTER TABLE item ADD COLUMN never int; INSERT INTO item (n) VALUES (7); ROLLBACK",
          // A table from its first row on, with sequence, identity and generated column.
          "CREATE TYPE mood AS ENUM ('sad', 'glad')",
          "BEGIN;"
              + "CREATE TABLE made (id serial PRIMARY KEY, felt mood DEFAULT 'sad',"
              + " twice int GENERATED ALWAYS AS (id * 2) STORED);"
              + "INSERT INTO made (felt) VALUES ('glad'), (DEFAULT);"
              + "COMMIT",
          "ALTER TABLE made RENAME TO \"Made 2\"",
          "INSERT INTO \"Made 2\" DEFAULT VALUES",
          "CREATE SCHEMA \"Other\"",
          "ALTER TABLE \"Made 2\" SET SCHEMA \"Other\"",
          "INSERT INTO \"Other\".\"Made 2\" DEFAULT VALUES",
          "ALTER SCHEMA \"Other\" RENAME TO other",
          "INSERT INTO other.\"Made 2\" DEFAULT VALUES",
          "CREATE TABLE brief (id int PRIMARY KEY)",
          "INSERT INTO brief VALUES (1)",
          "TRUNCATE brief",
          "INSERT INTO brief VALUES (2)",
          "DROP TABLE brief",
          "CREATE TABLE brief (other text PRIMARY KEY)",
          "INSERT INTO brief VALUES ('x')",
          // The key is dropped and added again: rows are found with and without it.
          "ALTER TABLE brief DROP CONSTRAINT brief_pkey",
          "INSERT INTO brief VALUES ('y'), ('y')",
          "DELETE FROM brief WHERE ctid = (SELECT max(ctid) FROM brief)",
          "ALTER TABLE brief ADD PRIMARY KEY (other)",
          "UPDATE brief SET other = 'z' WHERE other = 'x'",
          // A deferrable key is replicated, but rows are not found by it: two may have it for a
          // moment.
          "ALTER TABLE brief DROP CONSTRAINT brief_pkey, ADD PRIMARY KEY (other) DEFERRABLE",
          "UPDATE brief SET other = CASE other WHEN 'y' THEN 'z' ELSE 'y' END",
          "ALTER TABLE brief DROP CONSTRAINT brief_pkey, ADD PRIMARY KEY (other)",
          "UPDATE brief SET other = 'x' WHERE other = 'z'",
          "ALTER TABLE brief DROP CONSTRAINT brief_pkey,"
              + " ADD PRIMARY KEY (other) DEFERRABLE INITIALLY DEFERRED");
      task.assertEqual(running);
      assertThat(task.target("SELECT count(*) FROM item")).isEqualTo("4");
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(running.daemon().status().tables())
                      .anySatisfy(
                          table -> {
                            assertThat(table.table()).isEqualTo("item");
                            assertThat(table.ddls()).isEqualTo(6);
                            assertThat(table.appliedDdls()).isEqualTo(6);
                          }));
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
      assertThat(task.target("SELECT nextval('other.made_id_seq')")).isEqualTo("6");
    }
  }

  @Test
  void partitionsAreCreatedAttachedDetachedAndDropped() throws Exception {
    DdlTask task = DdlTask.make(folder, "parts", SERVERS.source(), SERVERS.target(), "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "CREATE TABLE part (id int, k int, PRIMARY KEY (id, k)) PARTITION BY RANGE (k)",
          "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10)",
          "CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20)"
              + " PARTITION BY LIST (k)",
          "CREATE TABLE part_2_15 PARTITION OF part_2 FOR VALUES IN (15)",
          "INSERT INTO part SELECT g, g FROM generate_series(0, 9) g",
          "INSERT INTO part VALUES (15, 15)",
          "ALTER TABLE part ADD COLUMN note text DEFAULT 'new'",
          "UPDATE part SET note = 'k' WHERE k = 3",
          "ALTER TABLE part DETACH PARTITION part_1",
          "INSERT INTO part_1 VALUES (11, 1)",
          "BEGIN;"
              + "CREATE TABLE part_3 (LIKE part INCLUDING ALL);"
              + "INSERT INTO part_3 VALUES (33, 33);"
              + "ALTER TABLE part ATTACH PARTITION part_3 FOR VALUES FROM (30) TO (40);"
              + "INSERT INTO part VALUES (34, 34);"
              + "COMMIT",
          "ALTER TABLE part ATTACH PARTITION part_1 FOR VALUES FROM (0) TO (10)",
          "UPDATE part SET note = 'again' WHERE k = 1",
          "TRUNCATE part_3",
          "ALTER TABLE part RENAME TO whole",
          "INSERT INTO whole VALUES (35, 35)",
          "DROP TABLE part_2");
      task.assertEqual(running);
      assertThat(task.target("SELECT count(*) FROM whole")).isEqualTo("12");
    }
  }

  @Test
  void aTableThatTheTriggersDidNotReportMustBeEqualOnBothSides() throws Exception {
    DdlTask task = DdlTask.make(folder, "forgotten", SERVERS.source(), SERVERS.target(), "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      // In one transaction: another one in between would see a table of which nothing is known.
      String forgets = "BEGIN; DELETE FROM sluice_ddl.known WHERE relation = 'item'::regclass; ";
      task.onSource(
          forgets + "ALTER TABLE item ALTER COLUMN name SET NOT NULL; COMMIT",
          "INSERT INTO item VALUES (2, 'two', 2.5)");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(task.target("SELECT count(*) FROM item")).isEqualTo("1");
      task.onSource(forgets + "ALTER TABLE item ADD COLUMN more int; COMMIT");
      assertThatThrownBy(running::awaitEnd)
          .hasMessageContaining("target table public.item")
          .hasMessageContaining("column more is of type none");
    }
  }

  @Test
  void aSequenceThatGoesWithAnotherTableIsSharedAndNotTaken() throws Exception {
    DdlTask task = DdlTask.make(folder, "shared", SERVERS.source(), SERVERS.target(), "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "CREATE SCHEMA other",
          "CREATE TABLE other.first (id serial PRIMARY KEY)",
          "CREATE TABLE second (LIKE other.first INCLUDING ALL)",
          "CREATE TABLE other.third (LIKE other.first INCLUDING ALL)",
          "INSERT INTO second DEFAULT VALUES",
          "DROP TABLE other.third");
      task.assertEqual(running);
      assertThat(task.target("SELECT pg_get_serial_sequence('other.first', 'id')"))
          .isEqualTo("other.first_id_seq");
    }
  }

  @Test
  void ddlThatIsSwitchedOffDoesNotChangeTheTarget() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "ignored",
            SERVERS.source(),
            SERVERS.target(),
            "ChangeProcessingDdlHandlingPolicy: { HandleSourceTableDropped: false,"
                + " HandleSourceTableTruncated: false, HandleSourceTableAltered: false }");
    task.onSource("CREATE TABLE gone (id int PRIMARY KEY)", "INSERT INTO gone VALUES (1)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "INSERT INTO item VALUES (1, 'one', 1.5)",
          "TRUNCATE item",
          "ALTER TABLE item ADD COLUMN more int DEFAULT 7",
          "INSERT INTO item VALUES (2, 'two', 2.5)",
          "UPDATE item SET more = 8, name = 'zwei' WHERE id = 2",
          "ALTER TABLE item DROP COLUMN price",
          "INSERT INTO item VALUES (3, 'three', 9)",
          "DROP TABLE gone");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(task.target("SELECT string_agg(i::text, ' ' ORDER BY id) FROM item i"))
          .isEqualTo("(1,one,1.50) (2,zwei,2.50) (3,three,)");
      assertThat(task.target("SELECT count(*) FROM gone")).isEqualTo("1");
    }
  }

  @Test
  void aColumnDroppedOnTheSourceIsNotSilentlyFilledByTheTarget() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "kept",
            SERVERS.source(),
            SERVERS.target(),
            "ChangeProcessingDdlHandlingPolicy: { HandleSourceTableAltered: false }");
    task.onSource("ALTER TABLE item ALTER COLUMN price SET DEFAULT 9.5, ADD COLUMN note text");
    RunningDaemon running = RunningDaemon.start(task.config());
    running.awaitPhase("replicating");
    task.onSource(
        "ALTER TABLE item DROP COLUMN price", "INSERT INTO item VALUES (1, 'one', 'noted')");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("target table public.item: column price is gone")
        .hasMessageContaining("9.5")
        .hasMessageContaining("ALTER COLUMN \"price\" SET DEFAULT NULL");
    task.onTarget("ALTER TABLE item ALTER COLUMN price SET DEFAULT NULL");
    try (RunningDaemon again = RunningDaemon.start(task.config())) {
      again.awaitPhase("replicating");
      assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(task.target("SELECT item::text FROM item")).isEqualTo("(1,one,,noted)");
    }
  }

  @Test
  void aPlainColumnIsNotSilentlyComputedByATargetThatDoesNotFollow() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "computed",
            SERVERS.source(),
            SERVERS.target(),
            "ChangeProcessingDdlHandlingPolicy: { HandleSourceTableAltered: false }");
    task.onSource(
        "ALTER TABLE item ADD COLUMN twice numeric GENERATED ALWAYS AS (price * 2) STORED");
    RunningDaemon running = RunningDaemon.replicating(task.config());
    task.onSource(
        "INSERT INTO item VALUES (1, 'one', 1.5)",
        "ALTER TABLE item DROP COLUMN twice, ADD COLUMN twice numeric",
        "INSERT INTO item VALUES (2, 'two', 2.5, 77)");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("target table public.item: column twice is generated")
        .hasMessageContaining("ALTER COLUMN \"twice\" DROP EXPRESSION")
        .hasMessageContaining("load the table again");
    assertThat(task.target("SELECT string_agg(id::text, ' ') FROM item WHERE id = 2")).isNull();
  }

  @Test
  void aGeneratedColumnIsDroppedTogetherWithTheColumnThatItUses() throws Exception {
    DdlTask task = DdlTask.make(folder, "together", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "ALTER TABLE item ADD COLUMN qty int,"
            + " ADD COLUMN total int GENERATED ALWAYS AS (qty * 2) STORED");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "INSERT INTO item VALUES (1, 'one', 1.5, 4)",
          "ALTER TABLE item DROP COLUMN total, DROP COLUMN qty",
          "INSERT INTO item VALUES (2, 'two', 2.5)");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(task.target("SELECT string_agg(i::text, ' ' ORDER BY id) FROM item i"))
          .isEqualTo("(1,one,1.50) (2,two,2.50)");
    }
  }

  @Test
  void valuesThatAreNotInTheLogStopTheTaskAndTheFixIsNamed() throws Exception {
    DdlTask task = DdlTask.make(folder, "unknown", SERVERS.source(), SERVERS.target(), "");
    RunningDaemon running = RunningDaemon.replicating(task.config());
    task.onSource(
        "ALTER TABLE item ADD COLUMN empty_yet float DEFAULT random()",
        "INSERT INTO item VALUES (1, 'one', 1.5)");
    assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    task.onSource("ALTER TABLE item ADD COLUMN rolled float DEFAULT random()");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("public.item")
        .hasMessageContaining("rolled")
        .hasMessageContaining("random()")
        .hasMessageContaining("load the table again");
    // A user has corrected the values: the target keeps what it has already.
    task.onTarget("ALTER TABLE item ADD COLUMN rolled float");
    RunningDaemon again = RunningDaemon.replicating(task.config());
    task.onSource("ALTER TABLE item ALTER COLUMN price TYPE int USING (price * 100)::int");
    assertThatThrownBy(again::awaitEnd)
        .hasMessageContaining("public.item")
        .hasMessageContaining("price")
        .hasMessageContaining("USING");
  }

  @Test
  void valuesThatAStatementComputedAreFoundInPartitionsAndBesideANewColumnToo() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "computes", SERVERS.source(), SERVERS.target(), "")
            .withErrors(", TableErrorPolicy: SUSPEND_TABLE");
    task.onSource(
        "CREATE TABLE whole (id int PRIMARY KEY, n int) PARTITION BY RANGE (id)",
        "CREATE TABLE leaf PARTITION OF whole DEFAULT");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "INSERT INTO whole VALUES (1, 1)",
          "INSERT INTO item VALUES (1, 'one', 1.5)",
          "ALTER TABLE whole ALTER n TYPE integer USING n + 1",
          "ALTER TABLE item ADD COLUMN more int," + " ALTER name TYPE text USING upper(name)");
      assertThat(running.daemon().fence(PATIENCE, true).message()).startsWith("applied");
      assertThat(running.daemon().status().suspended())
          .hasSize(2)
          .allSatisfy(
              suspended -> assertThat(suspended.reason()).contains("its rows were written again"));
    }
  }

  @Test
  void rowsRewrittenByAStatementThatCouldNotBeDescribedStopTheTask() throws Exception {
    DdlTask task = DdlTask.make(folder, "undescribed", SERVERS.source(), SERVERS.target(), "");
    RunningDaemon running = RunningDaemon.replicating(task.config());
    try (Connection old = SERVERS.source().connect("undescribed")) {
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      old.setAutoCommit(false);
      execute(old, "SELECT 1");
      task.onSource(
          "INSERT INTO item VALUES (1, 'one', 1.5)", "ALTER TABLE item ADD COLUMN more int");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      // The catalog as this transaction sees it has the table twice.
      execute(old, "ALTER TABLE item ALTER COLUMN price TYPE numeric(10,2) USING price * 1000");
      old.commit();
    }
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("public.item")
        .hasMessageContaining("could not be described")
        .hasMessageContaining("load the table again");
  }

  @Test
  void ddlOfATransactionOlderThanTheTaskStopsTheTask() throws Exception {
    DdlTask task = DdlTask.make(folder, "older", SERVERS.source(), SERVERS.target(), "");
    try (Connection old = SERVERS.source().connect("older")) {
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      old.setAutoCommit(false);
      execute(old, "SELECT 1");
      RunningDaemon running = RunningDaemon.replicating(task.config());
      execute(old, "ALTER TABLE item ALTER COLUMN name SET DEFAULT 'unseen'");
      old.commit();
      assertThatThrownBy(running::awaitEnd)
          .hasMessageContaining("public.item")
          .hasMessageContaining("older than the task's registration")
          .hasMessageContaining("load the table again");
    }
    task.remove();
  }

  @Test
  void codeOfTheSourcesUsersIsNotCreatedOnTheTargetByDdl() throws Exception {
    DdlTask task = DdlTask.make(folder, "code", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "CREATE FUNCTION own(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS"
            + " 'BEGIN RETURN true; END'",
        "CREATE DOMAIN checked AS int CHECK (own(VALUE))",
        "CREATE DOMAIN reading AS text CHECK (pg_read_file('PG_VERSION') IS NOT NULL)",
        "CREATE DOMAIN harmless AS text CHECK (length(VALUE) < 10 AND VALUE ~ '^[a-z]*$')");
    RunningDaemon running = RunningDaemon.replicating(task.config());
    task.onSource(
        "CREATE TABLE fine (id int PRIMARY KEY, v harmless)", "INSERT INTO fine VALUES (1, 'x')");
    assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    assertThat(task.target("SELECT v FROM fine")).isEqualTo("x");
    task.onSource(
        "CREATE TABLE one (id int PRIMARY KEY, v checked)", "INSERT INTO one VALUES (1, 1)");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("function public.own(integer) is not on the target")
        .hasMessageContaining("create it there by hand");
    // A user has checked it.
    task.onTarget(
        "CREATE FUNCTION own(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'",
        "CREATE DOMAIN checked AS int CHECK (own(VALUE))");
    RunningDaemon again = RunningDaemon.replicating(task.config());
    assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
    assertThat(task.target("SELECT count(*) FROM one")).isEqualTo("1");
    task.onSource("ALTER TABLE one ADD COLUMN r reading[]");
    assertThatThrownBy(again::awaitEnd)
        .hasMessageContaining("type public.reading is not on the target")
        .hasMessageContaining("pg_read_file(text)");
    assertThat(task.target("SELECT count(*) FROM pg_type WHERE typname = 'reading'"))
        .isEqualTo("0");
  }

  @Test
  void ddlWhileTheDaemonIsDownIsReplicatedAtTheNextStart() throws Exception {
    DdlTask task = DdlTask.make(folder, "away", SERVERS.source(), SERVERS.target(), "");
    task.onSource("CREATE TABLE gone (id int PRIMARY KEY)");
    RunningDaemon.replicating(task.config()).close();
    task.onSource(
        "INSERT INTO item VALUES (1, 'one', 1.5)",
        "ALTER TABLE item ADD COLUMN more int",
        "ALTER TABLE item DROP COLUMN price",
        "ALTER TABLE item ALTER COLUMN id TYPE bigint",
        "INSERT INTO item VALUES (5000000000, 'large', 3)",
        "CREATE TABLE made (id int PRIMARY KEY)",
        "INSERT INTO made VALUES (1)",
        "ALTER TABLE gone RENAME TO kept");
    Files.writeString(
        task.file(),
        Files.readString(task.file()).replace("DROP_AND_CREATE", "TRUNCATE_BEFORE_LOAD"));
    try (RunningDaemon again = RunningDaemon.replicating(task.config())) {
      task.assertEqual(again);
    }
    // The log has nothing that would fix this table, but the task cannot know that.
    task.onTarget("ALTER TABLE item ALTER COLUMN name TYPE varchar(1) USING 'x'");
    assertThat(TaskChecks.of(task.config()).findings().notes())
        .anyMatch(
            note -> note.contains("item") && note.contains("column name is character varying(1)"));
  }

  @Test
  void theApplicationsStatementsSucceedWhateverHappensToTheTriggers() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "broken", SERVERS.source(), SERVERS.target(), "")
            .withErrors(", TableErrorPolicy: SUSPEND_TABLE");
    task.onSource("CREATE TABLE part_of (id int PRIMARY KEY) PARTITION BY RANGE (id)");
    task.onSource("CREATE TABLE part PARTITION OF part_of DEFAULT");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      assertThat(running.daemon().status().ddl()).isEqualTo(DdlCapture.BY_TRIGGER);
      task.onSource(
          "ALTER FUNCTION sluice_ddl.report RENAME TO away",
          "ALTER TABLE item ALTER COLUMN name SET DEFAULT 'unsaid'",
          "INSERT INTO item VALUES (1, 'one', 1.5)",
          "DROP TABLE part",
          "CREATE TABLE unseen (id int PRIMARY KEY)",
          "DROP TABLE unseen",
          "ALTER FUNCTION sluice_ddl.away RENAME TO report",
          "CREATE TABLE made (id int PRIMARY KEY)",
          "INSERT INTO made VALUES (1)");
      assertThat(running.daemon().fence(PATIENCE, true).message()).startsWith("applied");
      // Neither table has a row that would show it.
      assertThat(running.daemon().status().suspended())
          .extracting(table -> table.table() + ": " + table.reason())
          .hasSize(2)
          .anySatisfy(
              table -> assertThat(table).startsWith("item: ").contains("could not be described"))
          .anySatisfy(
              table ->
                  assertThat(table).startsWith("part_of: ").contains("could not be described"));
      assertThat(task.target("SELECT count(*) FROM made")).isEqualTo("1");
    }
    task.remove();
    assertThat(task.source("SELECT count(*) FROM pg_event_trigger")).isEqualTo("0");
    assertThat(task.source("SELECT to_regnamespace('sluice_ddl') IS NULL")).isEqualTo("t");
  }

  @Test
  void tablesThatCannotBeFollowedAreLeftAloneAndTheApplicationWorks() throws Exception {
    DdlTask task = DdlTask.make(folder, "refused", SERVERS.source(), SERVERS.target(), "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "CREATE TABLE keyless (n int)",
          "INSERT INTO keyless VALUES (1)",
          "UPDATE keyless SET n = 2",
          "CREATE TABLE filled AS SELECT 1 AS id",
          "ALTER TABLE filled ADD PRIMARY KEY (id)",
          "UPDATE filled SET id = 2",
          "CREATE TEMPORARY TABLE passing (id int PRIMARY KEY); DROP TABLE passing",
          "CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)",
          "CREATE TABLE later (n int)",
          "ALTER TABLE later ADD PRIMARY KEY (n)",
          "INSERT INTO later VALUES (1)");
      assertThat(running.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(
              task.target(
                  "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class"
                      + " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"))
          .isEqualTo("item later");
      assertThat(task.target("SELECT count(*) FROM later")).isEqualTo("1");
    }
  }

  @Test
  void ofAPublicationForAllTablesOnlyWhatIsFollowedArrives() throws Exception {
    DdlTask task = DdlTask.make(folder, "every", SERVERS.source(), SERVERS.target(), "");
    task.onSource("CREATE PUBLICATION sluice_every FOR ALL TABLES");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "CREATE TABLE keyless (n int)",
          "INSERT INTO keyless VALUES (1)",
          // Its rows before do not belong to it, nor does the statement that took them away.
          "CREATE TABLE later (n int)",
          "INSERT INTO later VALUES (1)",
          "TRUNCATE later",
          "ALTER TABLE later ADD PRIMARY KEY (n)",
          "INSERT INTO later VALUES (2)",
          "INSERT INTO item VALUES (1, 'one', 1.5)");
      assertThat(running.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
    }
    task.onSource(
        "INSERT INTO keyless VALUES (2)",
        "INSERT INTO later VALUES (3)",
        "ALTER TABLE later RENAME TO last",
        "INSERT INTO last VALUES (4)");
    // A table that is not followed does not keep the task from starting, but is named.
    assertThat(TaskChecks.of(task.config()).findings().notes())
        .anyMatch(note -> note.contains("not followed: [public.keyless]"));
    try (RunningDaemon again = RunningDaemon.replicating(task.config())) {
      assertThat(again.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(task.target("SELECT string_agg(n::text, ' ' ORDER BY n) FROM last"))
          .isEqualTo("2 3 4");
      assertThat(task.target("SELECT count(*) FROM item")).isEqualTo("1");
      assertThat(task.target("SELECT to_regclass('keyless') IS NULL")).isEqualTo("t");
    }
  }

  @Test
  void aTableThatLosesItsIdentityIsReportedAndTheApplicationContinues() throws Exception {
    DdlTask task = DdlTask.make(folder, "lost", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "CREATE TABLE computed (id int PRIMARY KEY, n int GENERATED ALWAYS AS (id + 1) STORED)",
        "CREATE TABLE whole (LIKE computed INCLUDING ALL) PARTITION BY RANGE (id)",
        "CREATE TABLE low PARTITION OF whole FOR VALUES FROM (0) TO (10)",
        "INSERT INTO whole VALUES (1)");
    RunningDaemon running = RunningDaemon.replicating(task.config());
    task.onSource(
        "INSERT INTO computed VALUES (1)",
        "ALTER TABLE computed DROP CONSTRAINT computed_pkey",
        "UPDATE computed SET id = 2",
        "DELETE FROM computed");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("public.computed")
        .hasMessageContaining("no replica identity any more");
    // The other tables continue, also if it is a partition.
    task.withErrors(", TableErrorPolicy: SUSPEND_TABLE");
    try (RunningDaemon again = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "ALTER TABLE low REPLICA IDENTITY NOTHING",
          "UPDATE whole SET id = 2",
          "CREATE TABLE other (id int PRIMARY KEY) PARTITION BY RANGE (id)",
          "CREATE TABLE filled (id int NOT NULL)",
          "INSERT INTO filled VALUES (1)",
          "ALTER TABLE filled REPLICA IDENTITY NOTHING",
          "ALTER TABLE other ATTACH PARTITION filled FOR VALUES FROM (0) TO (10)",
          "UPDATE other SET id = 2");
      awaitLost(again);
    }
    try (RunningDaemon again = RunningDaemon.replicating(task.config())) {
      task.onSource(
          "INSERT INTO computed VALUES (3)",
          "UPDATE computed SET id = 4",
          "UPDATE whole SET id = 3",
          "UPDATE other SET id = 3",
          "DELETE FROM whole",
          "INSERT INTO item VALUES (1, 'one', 1.5)");
      awaitLost(again);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(task.target("SELECT count(*) FROM item")).isEqualTo("1"));
    }
  }

  private static void awaitLost(RunningDaemon running) {
    Map<String, String> reasons =
        Map.of(
            "computed", "it has no replica identity any more",
            "whole", "its partition has no replica identity any more",
            "other", "a partition whose rows were not followed");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(running.daemon().status().suspended())
                    .allSatisfy(
                        suspended ->
                            assertThat(suspended.reason()).contains(reasons.get(suspended.table())))
                    .extracting(SuspendedStatus::table)
                    .containsExactlyInAnyOrderElementsOf(reasons.keySet()));
  }

  @Test
  void withoutTriggersATypeThatChangesBeforeTheFirstRowIsDetected() throws Exception {
    DdlTask task = DdlTask.make(folder, "typed", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "CREATE ROLE modest LOGIN REPLICATION; GRANT ALL ON SCHEMA public TO modest;"
            + "GRANT CREATE ON DATABASE typed TO modest;"
            + "ALTER TABLE item OWNER TO modest",
        "INSERT INTO item VALUES (1, 'one', 1.25)");
    RunningDaemon running = RunningDaemon.replicating(task.configAs("modest"));
    task.onSource(
        "ALTER TABLE item ALTER COLUMN price TYPE numeric(8,1)",
        "INSERT INTO item VALUES (2, 'two', 2.5)");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("public.item")
        .hasMessageContaining("the type of column price became numeric(8,1)");
  }

  @Test
  void withoutTheRightToInstallTriggersColumnsAreDetectedByTheRows() throws Exception {
    DdlTask task = DdlTask.make(folder, "humble", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "CREATE ROLE humble LOGIN REPLICATION; GRANT ALL ON SCHEMA public TO humble;"
            + "GRANT CREATE ON DATABASE humble TO humble;"
            + "ALTER TABLE item OWNER TO humble");
    RunningDaemon running = RunningDaemon.replicating(task.configAs("humble"));
    assertThat(running.daemon().status().ddl()).contains("no event triggers");
    task.onSource(
        "INSERT INTO item VALUES (1, 'one', 1.5)",
        "ALTER TABLE item ADD COLUMN more int",
        "INSERT INTO item VALUES (2, 'two', 2.5, 4)");
    task.assertEqual(running);
    task.onSource(
        "ALTER TABLE item RENAME COLUMN name TO called",
        "UPDATE item SET called = 'eins' WHERE id = 1");
    task.assertEqual(running);
    task.onSource("ALTER TABLE item DROP COLUMN price", "INSERT INTO item VALUES (3, 'three')");
    task.assertEqual(running);
    task.onSource(
        "ALTER TABLE item RENAME COLUMN more TO most", "INSERT INTO item VALUES (4, 'four', 5)");
    task.assertEqual(running);
    task.onSource(
        "ALTER TABLE item DROP COLUMN most, ADD COLUMN most int",
        "INSERT INTO item VALUES (5, 'five', 6)");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("public.item")
        .hasMessageContaining("column most is another one than before");
  }

  @Test
  void withoutTriggersOlderRowsGetWhatTheyHoldInANewColumnOrTheTaskStops() throws Exception {
    DdlTask task = DdlTask.make(folder, "meek", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "CREATE ROLE meek LOGIN REPLICATION; GRANT ALL ON SCHEMA public TO meek;"
            + "GRANT CREATE ON DATABASE meek TO meek;"
            + "ALTER TABLE item OWNER TO meek",
        "INSERT INTO item SELECT i, 'n' || i FROM generate_series(1, 500) i",
        "SET ROLE meek",
        "CREATE TABLE part (id int PRIMARY KEY, n int) PARTITION BY RANGE (id);"
            + "CREATE TABLE part_1 (n int, id int PRIMARY KEY);"
            + "ALTER TABLE part ATTACH PARTITION part_1 FOR VALUES FROM (1) TO (10);"
            + "INSERT INTO part SELECT i, i FROM generate_series(1, 9) i");
    RunningDaemon running = RunningDaemon.replicating(task.configAs("meek"));
    // Without triggers the task does not create it there.
    task.onTarget("CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20)");
    task.onSource(
        "ALTER TABLE item ADD COLUMN seven int NOT NULL DEFAULT 7",
        "ALTER TABLE item ADD COLUMN quoted text DEFAULT $$it's \\ {1,\"2\"}$$",
        "ALTER TABLE item ALTER COLUMN quoted DROP DEFAULT",
        "ALTER TABLE item ADD COLUMN list int[] NOT NULL DEFAULT '{1,NULL}'",
        "UPDATE item SET name = 'touched' WHERE id = 1",
        // The first row with the column comes from a partition that was created after the column.
        "ALTER TABLE part ADD COLUMN more int DEFAULT 3",
        "ALTER TABLE part ALTER COLUMN more DROP DEFAULT",
        "CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20)",
        "INSERT INTO part VALUES (10, 10, 10)",
        "UPDATE part SET n = 0 WHERE id = 1");
    task.assertRowsEqual(running);
    task.onSource(
        "ALTER TABLE item ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp()",
        "UPDATE item SET name = 'again' WHERE id = 2");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("public.item")
        .hasMessageContaining("column at is new");
  }

  @Test
  void randomStatementsOnTablesAndRowsLeaveBothSidesEqualAcrossRestarts() throws Exception {
    DdlTask task = DdlTask.make(folder, "random", SERVERS.source(), SERVERS.target(), "");
    RandomDdl application = new RandomDdl(SEED);
    List<List<String>> done = new ArrayList<>();
    for (int start = 0; start < STARTS; start++) {
      try (Connection connection = SERVERS.source().connect("random");
          RunningDaemon running = RunningDaemon.replicating(task.config())) {
        // The first run starts with the load; later ones apply what was done while it was down.
        for (int part = 0; part < 2; part++) {
          for (int i = 0; i < 20; i++) {
            done.add(application.transaction(connection));
          }
          if (part == 0) {
            task.assertEqual(running);
          }
        }
      } catch (AssertionError | RuntimeException | SQLException e) {
        throw new AssertionError(
            "seed " + SEED + ", after " + done.subList(Math.max(0, done.size() - 45), done.size()),
            e);
      }
      try (Connection connection = SERVERS.source().connect("random")) {
        for (int i = 0; i < 20; i++) {
          done.add(application.transaction(connection));
        }
      }
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.assertEqual(running);
    }
  }
}
