package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.TaskClaim;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A second daemon of a task, as on another machine: both have the same servers and the same Kafka.
 */
@ExtendWith(SharedBroker.class)
class TakeoverTest {
  private static final AtomicInteger COPIES = new AtomicInteger();

  @TempDir static Path folder;

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @BeforeAll
  static void start() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() {
    source.close();
    target.close();
  }

  @Test
  void aReplicatingDaemonEndsAfterATakeoverAndDoesNotTakeTheTaskBack() throws Exception {
    DdlTask task = DdlTask.make(folder, "replicated", source, target, "");
    task.onSource("INSERT INTO item SELECT i, 'loaded', 1 FROM generate_series(1, 1000) i");
    RunningDaemon first = RunningDaemon.start(config(task, "first"));
    first.awaitPhase("replicating");
    try (RunningDaemon second = RunningDaemon.start(config(task, "second"))) {
      second.awaitPhase("replicating");
      task.onSource(
          "UPDATE item SET name = 'changed' WHERE id % 7 = 0", "DELETE FROM item WHERE id < 9");
      assertThatThrownBy(first::awaitEnd).hasMessageContaining("claimed by another daemon");
      task.assertEqual(second);
      assertThat(second.daemon().status().phase()).isEqualTo("replicating");
    }
  }

  /** Otherwise two daemons would end each other's sessions forever, and each would retry. */
  @Test
  void aLostClaimIsNotTakenBack() {
    CheckpointStore store =
        new CheckpointStore(
            TargetServers.postgres(
                "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(target.port()),
                "postgres",
                null,
                "sluice test",
                0),
            "sluice_control");
    store.create();
    TaskClaim first = new TaskClaim(store, "orders");
    TaskClaim second = new TaskClaim(store, "orders");
    assertThat(first.next().epoch()).isEqualTo(1);
    assertThat(first.next().epoch()).as("after a failure that passed").isEqualTo(2);

    assertThat(second.next().epoch()).as("of a daemon that comes").isEqualTo(3);
    assertThatThrownBy(first::next)
        .isInstanceOf(SluiceException.Fenced.class)
        .hasMessageContaining("claimed by another daemon");
    assertThat(second.next().epoch()).isEqualTo(4);
  }

  @Test
  void aLoadingDaemonEndsAfterATakeoverAndItsSuccessorLoads() throws Exception {
    DdlTask task = DdlTask.make(folder, "loaded", source, target, "");
    task.onSource(
        "INSERT INTO item SELECT i, 'loaded', 1 FROM generate_series(1, 1000) i",
        "CREATE TABLE unkeyed (id int)",
        "ALTER TABLE unkeyed REPLICA IDENTITY FULL",
        "INSERT INTO unkeyed SELECT generate_series(1, 1000)");
    task.withLoadSetting("CommitRate: 10");
    try (Connection gate = target.connect("loaded")) {
      execute(gate, "SELECT pg_advisory_lock(42)");
      holdRows(task);
      RunningDaemon first = RunningDaemon.start(config(task, "first"));
      first.awaitPhase("full-load");
      try (RunningDaemon second = RunningDaemon.start(config(task, "second"))) {
        assertThatThrownBy(first::awaitEnd).hasMessageContaining("another daemon");
        execute(gate, "SELECT pg_advisory_unlock(42)");
        second.awaitPhase("replicating");
        task.assertEqual(second);
      }
    }
  }

  @Test
  void aTaskOfTheSameNameOnAnotherDatabaseLeavesTheFirstOneAlone() throws Exception {
    DdlTask first = DdlTask.make(folder, "twin", source, target, "");
    DdlTask other = DdlTask.make(folder, "twinother", source, target, "");
    TaskConfig twin = renamed(other, "task: twinother", "task: twin");
    try (RunningDaemon running = RunningDaemon.start(first.config())) {
      running.awaitPhase("replicating");
      String reader = reader("sluice_twin");
      assertThatThrownBy(() -> RunningDaemon.start(twin).awaitEnd())
          .hasMessageContaining("replication slot sluice_twin")
          .hasMessageContaining("database twin ")
          .hasMessageContaining("sluice twin ")
          .hasMessageContaining("source.slot-name")
          .hasMessageNotContaining("--drop");
      removed(twin);
      assertThat(reader("sluice_twin")).isEqualTo(reader).isNotEmpty();
      first.onSource("INSERT INTO item VALUES (1, 'after', 1)");
      first.assertEqual(running);
    }
  }

  @Test
  void aTaskOfTheSameNameWithAnotherTargetIsRefusedAndTheOwnerOfThePublicationNamed()
      throws Exception {
    DdlTask first = DdlTask.make(folder, "target", source, target, "");
    target.createDatabase("elsewhere");
    TaskConfig other = renamed(first, target.port() + "/target", target.port() + "/elsewhere");
    try (RunningDaemon running = RunningDaemon.start(first.config())) {
      running.awaitPhase("replicating");
    }
    assertThatThrownBy(() -> RunningDaemon.start(other).awaitEnd())
        .hasMessageContaining("the target has no record that this task created it")
        .hasMessageContaining("publication sluice_target: another task made it")
        .hasMessageContaining("schema sluice_control of")
        .hasMessageContaining("event triggers on the source, task target: another task")
        .hasMessageNotContaining("--drop");
    removed(other);
    try (RunningDaemon again = RunningDaemon.start(first.config())) {
      again.awaitPhase("replicating");
      first.onSource("INSERT INTO item VALUES (1, 'after', 1)");
      first.assertEqual(again);
    }
  }

  @Test
  void theSourceOfATaskIsNotEmptiedByATaskFileWithSourceAndTargetSwapped() throws Exception {
    DdlTask task = DdlTask.make(folder, "turned", source, target, "").withOwnBroker();
    task.onSource("INSERT INTO item SELECT i, 'precious', 1 FROM generate_series(1, 3) i");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
    }
    task.onTarget("DELETE FROM item WHERE id = 3");
    TaskConfig exchanged =
        renamed(
            task,
            ":" + source.port() + "/",
            ":exchanged/",
            ":" + target.port() + "/",
            ":" + source.port() + "/",
            ":exchanged/",
            ":" + target.port() + "/",
            "data-dir: ",
            "overwrite-target-rows: true\ndata-dir: " + folder + "/other");
    assertThat(TaskChecks.of(exchanged).findings().problems())
        .singleElement()
        .asString()
        .contains("this database is the source of task turned, id ")
        .contains("which reads slot sluice_turned and keeps its state in schema sluice_control of")
        .contains("public.item (3 rows)")
        .contains("sluice stop --drop");
    assertThatThrownBy(() -> RunningDaemon.start(exchanged).awaitEnd())
        .hasMessageContaining("this database is the source of task turned, id ");
    assertThat(task.source("SELECT count(*) FROM item")).isEqualTo("3");

    // A task without event triggers is known by its publication.
    task.onSource("UPDATE sluice_ddl.home SET known = 0");
    assertThatThrownBy(() -> RunningDaemon.start(exchanged).awaitEnd())
        .hasMessageContaining("this database is the source of task turned, id ");
    task.onSource("UPDATE sluice_ddl.home SET known = 'sluice_ddl.known'::regclass");
    assertThat(task.source("SELECT count(*) FROM item")).isEqualTo("3");

    removed(task.config());
    try (RunningDaemon running = RunningDaemon.start(exchanged)) {
      running.awaitPhase("replicating");
      assertThat(task.source("SELECT count(*) FROM item")).isEqualTo("2");
    }
  }

  @Test
  void withAUsersPublicationAndASluiceSlotThePublishedRowsAreKept() throws Exception {
    DdlTask task = DdlTask.make(folder, "published", source, target, "");
    task.onTarget(
        "CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))",
        "INSERT INTO item VALUES (1, 'precious', 1)",
        "CREATE PUBLICATION own FOR TABLE item");
    TaskConfig overwriting = renamed(task, "data-dir: ", "overwrite-target-rows: true\ndata-dir: ");
    assertThat(TaskChecks.of(overwriting).findings().problems()).isEmpty();
    task.onTarget("SELECT pg_create_logical_replication_slot('sluice_unknown', 'pgoutput')");
    try {
      assertThat(TaskChecks.of(overwriting).findings().problems())
          .singleElement()
          .asString()
          .contains("reads slot sluice_unknown, for the table is in publication own")
          .contains("public.item (1 row)")
          .contains("WHERE database = current_database() AND slot_name = 'sluice_unknown'");
      // Which of two slots is that of the lost task, only the operator knows.
      task.onTarget("SELECT pg_create_logical_replication_slot('sluice_other', 'pgoutput')");
      assertThat(TaskChecks.of(overwriting).findings().problems())
          .singleElement()
          .asString()
          .contains("reads slot sluice_other or sluice_unknown")
          .doesNotContain("slot_name = 'sluice_");
    } finally {
      task.onTarget(
          "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
              + " WHERE slot_name IN ('sluice_unknown', 'sluice_other')");
    }
  }

  @Test
  void aTargetThatIsTheSourceOfAnotherTaskKeepsOnlyTheRowsThatTheOtherTaskReplicates()
      throws Exception {
    DdlTask first = DdlTask.make(folder, "chain", source, target, "");
    DdlTask end = DdlTask.make(folder, "chainend", target, source, "");
    TaskConfig second = renamed(end, target.port() + "/chainend", target.port() + "/chain");
    first.onSource("INSERT INTO item VALUES (1, 'first', 1)");
    try (RunningDaemon running = RunningDaemon.start(first.config())) {
      running.awaitPhase("replicating");
      try (RunningDaemon next = RunningDaemon.start(second)) {
        next.awaitPhase("replicating");
      }
    }
    removed(first.config());
    first.onTarget("CREATE TABLE unfollowed (id int PRIMARY KEY)");
    first.onTarget("DELETE FROM sluice_ddl.followed WHERE relation = 'unfollowed'::regclass");
    first.onTarget("ALTER PUBLICATION sluice_chainend DROP TABLE unfollowed");
    first.onTarget("INSERT INTO unfollowed VALUES (1)");
    first.onSource("CREATE TABLE unfollowed (id int PRIMARY KEY)");
    TaskConfig overwriting =
        renamed(first, "data-dir: ", "overwrite-target-rows: true\ndata-dir: ");
    assertThat(TaskChecks.of(overwriting).findings().problems())
        .singleElement()
        .asString()
        .contains("source of task chainend, id")
        .contains("public.item (1 row)")
        .doesNotContain("unfollowed");
    first.onTarget("DELETE FROM item");
    assertThat(TaskChecks.of(overwriting).findings().problems()).isEmpty();
    removed(second);
  }

  @Test
  void anExistingSlotIsTakenOnlyIfTheTaskFileAllowsIt() throws Exception {
    DdlTask task = DdlTask.make(folder, "given", source, target, "");
    task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    task.onSource("SELECT pg_create_logical_replication_slot('sluice_given', 'pgoutput')");
    task.onSource("INSERT INTO item VALUES (1, 'since the slot', 1)");
    TaskConfig loads = task.config();
    assertThatThrownBy(() -> RunningDaemon.start(loads).awaitEnd())
        .hasMessageContaining("replication slot sluice_given: it exists");
    TaskConfig follows = renamed(task, "full-load-and-cdc", "cdc");
    assertThatThrownBy(() -> RunningDaemon.start(follows).awaitEnd())
        .hasMessageContaining("source.take-slot: true");
    removed(follows);
    TaskConfig takes =
        renamed(task, "full-load-and-cdc", "cdc", "source:\n", "source:\n  take-slot: true\n");
    assertThatThrownBy(() -> RunningDaemon.start(takes).awaitEnd())
        .hasMessageContaining("publication sluice_given: it does not exist");
    task.onSource(
        "SELECT pg_drop_replication_slot('sluice_given')",
        "CREATE PUBLICATION sluice_given FOR TABLE item",
        "SELECT pg_create_logical_replication_slot('sluice_given', 'pgoutput')",
        "INSERT INTO item VALUES (2, 'since the slot', 1)");
    TaskConfig refused =
        renamed(
            task,
            "full-load-and-cdc",
            "cdc",
            "source:\n",
            "source:\n  take-slot: true\n",
            "data-dir: ",
            "cdc-start-position: 0/1\ndata-dir: ");
    assertThatThrownBy(() -> RunningDaemon.start(refused).awaitEnd())
        .hasMessageContaining("starts later");
    removed(refused);
    assertThat(task.source(slots("sluice_given"))).as("read by nobody yet").isEqualTo("1");
    try (RunningDaemon running = RunningDaemon.start(takes)) {
      running.awaitPhase("replicating");
      assertThat(running.daemon().fence(Duration.ofMinutes(5)).success()).isTrue();
      assertThat(task.target("SELECT name FROM item WHERE id = 2")).isEqualTo("since the slot");
    }
    TaskConfig copy =
        renamed(
            task,
            "task: given",
            "task: giventoo",
            "full-load-and-cdc",
            "cdc",
            "source:\n",
            "source:\n  take-slot: true\n  slot-name: sluice_given\n");
    assertThat(TaskChecks.of(copy).findings().problems())
        .anySatisfy(
            problem ->
                assertThat(problem.found())
                    .isEqualTo("task given with this target has recorded it as its own"));
    removed(takes);
    assertThat(task.source(slots("sluice_given"))).isEqualTo("0");
    assertThat(task.source("SELECT pubname FROM pg_publication")).isEqualTo("sluice_given");
  }

  @Test
  void aCopiedTaskFileWithAnotherDataDirectoryIsRefusedAndTheDaemonContinues() throws Exception {
    DdlTask task = DdlTask.make(folder, "copied", source, target, "").withOwnBroker();
    TaskConfig copy = renamed(task, folder + "/copied", folder + "/copied-copy");
    try (RunningDaemon first = RunningDaemon.start(task.config())) {
      first.awaitPhase("replicating");
      long epoch = first.daemon().status().epoch();
      assertThat(TaskChecks.of(task.config()).findings().problems()).isEmpty();
      assertThat(TaskChecks.of(copy).findings().problems())
          .singleElement()
          .asString()
          .contains("a daemon already runs it")
          .contains("data-dir " + folder + "/copied");
      assertThatThrownBy(() -> RunningDaemon.start(copy).awaitEnd())
          .hasMessageContaining("a daemon already runs it")
          .hasMessageContaining("data-dir " + folder + "/copied")
          .hasMessageNotContaining("--drop");
      assertThatThrownBy(() -> removed(copy))
          .hasMessageContaining("a daemon of it runs, on host")
          .hasMessageContaining("data-dir " + folder + "/copied")
          .hasMessageNotContaining("--drop");
      task.onSource("INSERT INTO item VALUES (1, 'after', 1)");
      task.assertEqual(first);
      assertThat(first.daemon().status().epoch()).isEqualTo(epoch);
    }
    // The journal is not needed as long as the slot has what the target lacks.
    try (RunningDaemon moved = RunningDaemon.start(copy)) {
      moved.awaitPhase("replicating");
      task.onSource("INSERT INTO item VALUES (2, 'moved', 1)");
      task.assertEqual(moved);
    }
  }

  /** A copied container or machine: host and directory have the same names. */
  @Test
  void aCopyOfHostAndDataDirectoryWaitsAsLongAsTheDaemonRuns() throws Exception {
    DdlTask task = DdlTask.make(folder, "cloned", source, target, "").withOwnBroker();
    RunningDaemon.replicating(task.config()).close();
    String epoch = "SELECT epoch FROM sluice_control.checkpoint";
    String before = task.target(epoch);
    DaemonPresence lives =
        new DaemonPresence(TaskContext.of(task.config()).target(), "sluice_control", "cloned");
    await().atMost(Duration.ofMinutes(5)).until(lives::show);
    try (RunningDaemon copy = RunningDaemon.start(task.config())) {
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  copy.daemon().status().problem() != null
                      && copy.daemon().status().problem().contains("a host that is also called"));
      assertThat(copy.daemon().status().problem()).doesNotContain("--drop");
      assertThat(task.target(epoch)).isEqualTo(before);
      lives.close();
      copy.awaitPhase("replicating");
      task.onSource("INSERT INTO item VALUES (1, 'after', 1)");
      task.assertEqual(copy);
    }
  }

  @Test
  void aDataDirectoryWithoutTheJournalIsRefusedBeforeAnythingIsChanged() throws Exception {
    DdlTask task = DdlTask.make(folder, "elsewhere_journal", source, target, "").withOwnBroker();
    TaskConfig copy =
        renamed(task, folder + "/elsewhere_journal", folder + "/elsewhere_journal-copy");
    try (RunningDaemon first = RunningDaemon.start(task.config());
        Connection writer = target.connect("elsewhere_journal")) {
      first.awaitPhase("replicating");
      // The journal has changes that the target lacks, and the slot does not send them again.
      writer.setAutoCommit(false);
      execute(writer, "LOCK TABLE item IN ACCESS EXCLUSIVE MODE");
      task.onSource("INSERT INTO item VALUES (1, 'in the journal', 1)");
      String end = task.source("SELECT pg_current_wal_insert_lsn()");
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  task.source(
                          "SELECT confirmed_flush_lsn >= '"
                              + end
                              + "' FROM pg_replication_slots WHERE slot_name ="
                              + " 'sluice_elsewhere_journal'")
                      .equals("t"));
      first.daemon().stop(false);
      // The window that waits for the table is not applied before the daemon ends.
      String waiting =
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname ="
              + " 'elsewhere_journal' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()";
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                task.target(waiting);
                return first.end().isDone();
              });
      writer.rollback();
    }
    assertThat(TaskChecks.of(task.config()).findings().problems()).isEmpty();
    assertThat(TaskChecks.of(copy).findings().problems())
        .singleElement()
        .asString()
        .contains("the journal of task elsewhere_journal is not there")
        .contains("with data-dir " + folder + "/elsewhere_journal");
    assertThatThrownBy(() -> RunningDaemon.start(copy).awaitEnd())
        .hasMessageContaining("the journal of task elsewhere_journal is not there")
        .hasMessageContaining("with data-dir " + folder + "/elsewhere_journal");
    try (RunningDaemon again = RunningDaemon.start(task.config())) {
      again.awaitPhase("replicating");
      task.assertEqual(again);
    }
  }

  @Test
  void anInterruptedLoadWithoutChangesLeavesNoSlot() throws Exception {
    DdlTask task = DdlTask.make(folder, "alone", source, target, "");
    task.onSource(
        "CREATE TABLE unkeyed (id int)", "INSERT INTO unkeyed SELECT generate_series(1, 1000)");
    TaskConfig config = renamed(task, "full-load-and-cdc", "full-load");
    try (Connection gate = target.connect("alone")) {
      execute(gate, "SELECT pg_advisory_lock(42)");
      holdRows(task);
      RunningDaemon running = RunningDaemon.start(config);
      running.awaitPhase("full-load");
      String slots =
          "SELECT count(*) || ' ' || coalesce(bool_and(temporary)::text, '') FROM"
              + " pg_replication_slots WHERE database = 'alone'";
      assertThat(task.source(slots)).isEqualTo("1 true");
      running.daemon().stop(false);
      running.awaitEnd();
      await().atMost(Duration.ofMinutes(5)).until(() -> task.source(slots).equals("0 "));
    }
  }

  /** A start that ends before its checkpoint stands for one that is killed there. */
  @Test
  void aSlotThatWasMadeForATaskStaysItsMakersUntilTheTaskHasAPlaceInItsLog() throws Exception {
    DdlTask task = DdlTask.make(folder, "unbegun", source, target, "");
    task.withErrors(", RecoverableErrorCount: 0");
    task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    task.onSource(
        "CREATE PUBLICATION sluice_unbegun FOR TABLE item",
        "SELECT pg_create_logical_replication_slot('sluice_unbegun', 'pgoutput')");
    TaskConfig takes =
        renamed(task, "full-load-and-cdc", "cdc", "source:\n", "source:\n  take-slot: true\n");
    new CheckpointStore(TargetServers.of(takes.target(), "test", 0), "sluice_control").create();
    task.onTarget(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN RAISE 'no checkpoint today'; END $$",
        "CREATE TRIGGER refuse BEFORE UPDATE ON sluice_control.checkpoint FOR EACH ROW"
            + " WHEN (NEW.journal_topic_id IS NOT NULL) EXECUTE FUNCTION refuse()",
        "ALTER TABLE sluice_control.checkpoint ENABLE ALWAYS TRIGGER refuse");
    assertThatThrownBy(() -> RunningDaemon.start(takes).awaitEnd())
        .hasMessageContaining("no checkpoint today");
    task.onTarget("DROP TRIGGER refuse ON sluice_control.checkpoint");

    TaskConfig follows = renamed(task, "full-load-and-cdc", "cdc");
    removed(follows);
    assertThat(task.source(slots("sluice_unbegun"))).isEqualTo("1");
    assertThatThrownBy(() -> RunningDaemon.start(follows).awaitEnd())
        .hasMessageContaining("source.take-slot: true");
  }

  /** The rows of the table {@code unkeyed} wait until the lock 42 is free. */
  private static void holdRows(DdlTask task) throws Exception {
    task.onTarget(
        "CREATE FUNCTION public.held() RETURNS boolean LANGUAGE plpgsql AS"
            + " $$ BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN true; END $$",
        "CREATE FUNCTION public.hold() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " IF to_regclass('public.unkeyed') IS NOT NULL AND NOT EXISTS (SELECT FROM"
            + " pg_constraint WHERE conname = 'held') THEN ALTER TABLE public.unkeyed ADD"
            + " CONSTRAINT held CHECK (public.held()); END IF; END $$",
        "CREATE EVENT TRIGGER hold ON ddl_command_end WHEN TAG IN ('CREATE TABLE')"
            + " EXECUTE FUNCTION public.hold()",
        "ALTER EVENT TRIGGER hold ENABLE ALWAYS");
  }

  @Test
  void topicsOfAnotherTaskOnASharedClusterAreNeitherWrittenNorDeleted() throws Exception {
    DdlTask first = DdlTask.make(folder, "shared", source, target, "");
    DdlTask other = DdlTask.make(folder, "sharedother", source, target, "");
    TaskConfig twin =
        renamed(
            other,
            "task: sharedother",
            "task: shared",
            "source:\n",
            "source:\n  slot-name: other\n");
    try (RunningDaemon running = RunningDaemon.start(config(first, "first"))) {
      running.awaitPhase("replicating");
      assertThatThrownBy(() -> RunningDaemon.start(twin).awaitEnd())
          .hasMessageContaining("topics sluice.shared.journal and sluice.shared.schemas")
          .hasMessageContaining("/shared");
      removed(twin);
      first.onSource("INSERT INTO item VALUES (1, 'after', 1)");
      first.assertEqual(running);
    }
    removed(config(first, "first"));
  }

  @Test
  void aGapInTheJournalEndsATaskWithoutRetriesAndTheNextStartFillsIt() throws Exception {
    DdlTask task = DdlTask.make(folder, "holed", source, target, "");
    task.withErrors(", RecoverableErrorCount: 0");
    TaskConfig config = config(task, "only");
    RunningDaemon running = RunningDaemon.start(config);
    running.awaitPhase("replicating");
    task.onSource("INSERT INTO item VALUES (1, 'before', 1)");
    task.assertEqual(running);
    appendTransaction(config, running.daemon().status().epoch(), 1_000_000);
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("the journal lacks records")
        .hasMessageContaining("transaction 1000000 change 1, expected transaction");
    assertThat(running.phase()).isEqualTo("failed");
    assertThat(running.daemon().status().reason()).contains("the journal lacks records");
    task.onSource("INSERT INTO item VALUES (2, 'after', 1)");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("replicating");
      task.assertEqual(again);
    }
  }

  /** Deletes all transactions of the term from the journal, between the last one and this one. */
  private static void appendTransaction(TaskConfig config, long term, long number)
      throws Exception {
    List<byte[]> records = new ArrayList<>();
    TransactionEncoder encoder = new TransactionEncoder(term, 1024, records::add);
    while (encoder.transaction() < number) {
      encoder.begin();
    }
    encoder.end(new Position(Long.MAX_VALUE), 0);
    Map<String, Object> client = Map.copyOf(config.kafka().orElseThrow().asMap());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
      String topic = JournalTopics.ofTask(config.task().text()).journal();
      producer.send(new ProducerRecord<>(topic, 0, null, records.get(0))).get();
    }
  }

  /** What {@code stop --drop} does with a task file. */
  private static void removed(TaskConfig config) {
    try (TaskLock lock = TaskLock.take(config.task().text(), config.dataDir())) {
      TaskRemoval.of(config).remove(lock);
    }
  }

  private static String reader(String slot) throws Exception {
    try (Connection connection = source.connect()) {
      return text(
          connection,
          "SELECT active_pid FROM pg_replication_slots WHERE slot_name = '" + slot + "'");
    }
  }

  private static String slots(String name) {
    return "SELECT count(*) FROM pg_replication_slots WHERE slot_name = '" + name + "'";
  }

  /** A copy of the task file with a text replaced. */
  private static TaskConfig renamed(DdlTask task, String... replacements) throws Exception {
    String text = Files.readString(task.file());
    for (int i = 0; i < replacements.length; i += 2) {
      assertThat(text).contains(replacements[i]);
      text = text.replace(replacements[i], replacements[i + 1]);
    }
    Path copy = folder.resolve(task.name() + "-" + COPIES.incrementAndGet() + ".yaml");
    return TaskFile.read(Files.writeString(copy, text), Map.of());
  }

  /** A task file with a folder of its own. */
  private static TaskConfig config(DdlTask task, String daemon) throws Exception {
    Path file = folder.resolve(task.name() + "-" + daemon + ".yaml");
    Files.writeString(
        file,
        Files.readString(task.file()).replaceFirst("data-dir: (\\S+)", "data-dir: $1-" + daemon));
    return TaskFile.read(file, Map.of());
  }
}
