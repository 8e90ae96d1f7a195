package dev.sluice.engine.resync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.daemon.DdlTask;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.SuspendedStatus;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Suspended tables are resumed, and healthy ones reloaded, while a task runs. */
@ExtendWith(SharedBroker.class)
class TableResyncTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final TableId ITEM = new TableId("public", "item");

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.builder().setting("max_prepared_transactions", "4").start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aSuspendedTableCatchesUpOnceItIsFixedAndContinuesWithTheOthers() throws Exception {
    DdlTask task = task("mended", "");
    task.onSource("CREATE TABLE other (id int PRIMARY KEY)");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onTarget("ALTER TABLE item ADD CONSTRAINT cheap CHECK (price < 100)");
      task.onSource(
          "INSERT INTO item SELECT g, 'before', g FROM generate_series(1, 90) g",
          "BEGIN; INSERT INTO other VALUES (1); INSERT INTO item VALUES (500, 'dear', 500); COMMIT",
          "UPDATE item SET id = id + 1000 WHERE id BETWEEN 1 AND 10");
      Outcome waited = running.daemon().fence(PATIENCE);
      assertThat(waited.success()).isFalse();
      assertThat(waited.message()).contains("suspended").contains("public.item");
      assertThat(running.daemon().fence(PATIENCE, true).success()).isTrue();
      assertThat(task.target("SELECT count(*) FROM other")).isEqualTo("1");

      Outcome again = running.daemon().resume(List.of(ITEM));
      assertThat(again.success()).as(again.toString()).isTrue();
      awaitState(running, "suspended");
      assertThat(suspended(running).reason()).contains("cheap").contains("Catching up ends");

      task.onTarget("ALTER TABLE item DROP CONSTRAINT cheap");
      assertThat(running.daemon().resume(List.of(ITEM)).success()).isTrue();
      task.assertEqual(running);
      assertThat(running.daemon().status().suspended()).isEmpty();
      assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_suspended_tables"))
          .isEqualTo("0");
      assertThat(task.target("SELECT count(*) FROM sluice_control.lane_checkpoint")).isEqualTo("0");

      task.onSource("UPDATE item SET name = 'after'", "ALTER TABLE item ADD COLUMN note text");
      task.onSource("UPDATE item SET note = 'noted' WHERE id > 50");
      task.assertEqual(running);
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void tablesOfEveryKindAreReloadedWhileTheyAreWrittenTo() throws Exception {
    DdlTask task = task("written", "");
    task.onSource(
        "INSERT INTO item SELECT g, 'loaded', g FROM generate_series(1, 2000) g",
        "CREATE TABLE bare (a int, b text)",
        "ALTER TABLE bare REPLICA IDENTITY FULL",
        "INSERT INTO bare SELECT g % 7, 'loaded' FROM generate_series(1, 500) g",
        "CREATE TABLE part (id int, at int, v text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)",
        "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (100)",
        "CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (100) TO (200)",
        "INSERT INTO part SELECT g, g % 200, 'loaded' FROM generate_series(1, 1000) g");
    List<TableId> all = List.of(new TableId("public", "bare"), ITEM, new TableId("public", "part"));
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onTarget("CREATE INDEX kept ON item (name)");
      try (Writes writes = new Writes(task)) {
        writes.awaitMore(20);
        try (Connection open = source.connect(task.name());
            Statement statement = open.createStatement()) {
          // No copy starts before it ends.
          statement.execute("BEGIN; INSERT INTO item VALUES (-1000000, 'open', 1)");
          Outcome ordered = running.daemon().reload(all);
          assertThat(ordered.success()).as(ordered.toString()).isTrue();
          assertThat(running.daemon().reload(List.of(ITEM)).success()).isTrue();
          assertThat(running.daemon().cutover(PATIENCE).message()).contains("reloading");
          statement.execute("COMMIT");
        }
        writes.awaitMore(20);
        await().atMost(PATIENCE).until(() -> running.daemon().status().suspended().isEmpty());
        writes.awaitMore(20);
        Outcome waited = running.daemon().fence(PATIENCE);
        assertThat(waited.success()).as(waited.toString()).isTrue();
      }
      task.assertEqual(running);
      assertThat(task.target("SELECT count(*) FROM pg_indexes WHERE indexname = 'kept'"))
          .isEqualTo("1");
      // The server drops the slot of a copy when it has noticed that its session is over.
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  task.source(
                          "SELECT string_agg(slot_name, ',') FROM pg_replication_slots"
                              + " WHERE slot_name LIKE 'sluice_written%'")
                      .equals("sluice_written"));
    }
  }

  @Test
  void afterAFailedReloadTheTableStaysSuspendedUntilAnotherOne() throws Exception {
    DdlTask task = task("failing", "");
    task.onSource("INSERT INTO item SELECT g, 'loaded', g FROM generate_series(1, 20) g");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onTarget("ALTER TABLE item ADD CONSTRAINT cheap CHECK (price < 10) NOT VALID");
      assertThat(running.daemon().reload(List.of(ITEM)).success()).isTrue();
      awaitState(running, "suspended");
      SuspendedStatus failed = suspended(running);
      assertThat(failed.reason()).contains("cheap");
      assertThat(failed.rowsWhole()).isFalse();
      task.onSource("INSERT INTO item VALUES (21, 'meanwhile', 1)");

      Outcome resumed = running.daemon().resume(List.of(ITEM));
      assertThat(resumed.success()).isFalse();
      assertThat(resumed.details()).anyMatch(line -> line.contains("not copied completely"));

      task.onTarget("ALTER TABLE item DROP CONSTRAINT cheap");
      assertThat(running.daemon().reload(List.of(ITEM)).success()).isTrue();
      task.assertEqual(running);
    }
  }

  @Test
  void aReloadThatTimesOutOnAnOpenTransactionNamesItAndChangesNothing() throws Exception {
    DdlTask task = task("waiting", "");
    String patient = Files.readString(task.file()).replace("DROP_AND_CREATE", "DO_NOTHING");
    Files.writeString(task.file(), patient);
    task.onSource("INSERT INTO item SELECT g, 'loaded', g FROM generate_series(1, 20) g");
    task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
    }
    Files.writeString(
        task.file(), patient.replace("DO_NOTHING", "DO_NOTHING, TransactionConsistencyTimeout: 1"));
    try (RunningDaemon running = RunningDaemon.start(task.config());
        Connection application = source.connect(task.name());
        Statement statement = application.createStatement()) {
      running.awaitPhase("replicating");
      statement.execute("BEGIN; INSERT INTO item VALUES (21, 'open', 1)");
      assertThat(running.daemon().reload(List.of(ITEM)).success()).isTrue();
      awaitState(running, "suspended");
      assertThat(suspended(running).reason()).contains("process ").contains("1 s");
      assertThat(suspended(running).rowsWhole()).isTrue();
      assertThat(task.target("SELECT count(*) FROM item")).isEqualTo("20");
      statement.execute("COMMIT");
      assertThat(running.daemon().resume(List.of(ITEM)).success()).isTrue();
      task.assertEqual(running);
    }
    // The successful case has all the time that it needs.
    Files.writeString(task.file(), patient);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      assertThat(running.daemon().reload(List.of(ITEM)).success()).isTrue();
      task.assertEqual(running);
    }
  }

  @Test
  void aTableThatNoLongerFitsIsCreatedAgainAndARenamedOneIsRefused() throws Exception {
    DdlTask task = task("unfit", "");
    task.onSource("INSERT INTO item VALUES (1, 'loaded', 1)");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onTarget("DROP TABLE item");
      task.onSource("UPDATE item SET name = 'new'");
      awaitState(running, "suspended");
      task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name int)");
      task.onSource("ALTER TABLE item ADD COLUMN note text", "UPDATE item SET note = 'noted'");
      assertThat(running.daemon().reload(List.of(ITEM)).success()).isTrue();
      task.assertEqual(running);

      task.onTarget("ALTER TABLE item ADD CONSTRAINT cheap CHECK (price < 10)");
      task.onSource("INSERT INTO item VALUES (2, 'dear', 100, null)");
      awaitState(running, "suspended");
      task.onTarget("ALTER TABLE item DROP CONSTRAINT cheap");
      task.onSource(
          "ALTER TABLE item RENAME TO thing", "INSERT INTO thing VALUES (3, 'x', 1, 'y')");
      running.daemon().fence(PATIENCE);
      assertThat(running.daemon().resume(List.of(ITEM)).success()).isTrue();
      await().atMost(PATIENCE).until(() -> suspended(running).reason().contains("has the rows of"));
      assertThat(running.daemon().status().suspended()).hasSize(2);
      Outcome gone = running.daemon().reload(List.of(ITEM));
      assertThat(gone.details()).anyMatch(line -> line.contains("not on the source any more"));
      task.onTarget("DROP TABLE item");
      TableId thing = new TableId("public", "thing");
      assertThat(running.daemon().reload(List.of(thing)).success()).isTrue();
      await().atMost(PATIENCE).until(() -> running.daemon().status().suspended().size() == 1);
      assertThat(task.target("SELECT string_agg(id::text, ',' ORDER BY id) FROM thing"))
          .isEqualTo("1,2,3");
    }
  }

  @Test
  void aTableThatNoTriggerReportedIsAdded() throws Exception {
    DdlTask task = task("taken", "");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      task.onSource(
          "DROP EVENT TRIGGER sluice_ddl_end",
          "CREATE TABLE later (id int PRIMARY KEY)",
          "INSERT INTO later VALUES (1)",
          "CREATE TABLE bare (id int)");
      TableId later = new TableId("public", "later");
      Outcome bare = running.daemon().reload(List.of(new TableId("public", "bare")));
      assertThat(bare.details()).anyMatch(line -> line.contains("REPLICA IDENTITY"));
      task.onSource("DROP TABLE bare");
      Outcome taken = running.daemon().reload(List.of(later));
      assertThat(taken.success()).as(taken.toString()).isTrue();
      task.onSource("INSERT INTO later VALUES (2)");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  running.phase().equals("replicating")
                      && running.daemon().status().tables().stream()
                          .anyMatch(
                              table ->
                                  table.table().equals("later")
                                      && table.state().equals("Table completed")));
      task.onSource("INSERT INTO later VALUES (3)", "INSERT INTO item VALUES (1, 'x', 1)");
      task.assertEqual(running);
    }
    try (RunningDaemon again = RunningDaemon.start(task.config())) {
      again.awaitPhase("replicating");
      task.onSource("INSERT INTO later VALUES (4)");
      task.assertEqual(again);
    }
  }

  @Test
  void aCommandThatMakesNoSenseIsRefusedWithTheFix() throws Exception {
    DdlTask task = task("refused", "");
    task.onSource(
        "CREATE TABLE part (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (100)");
    try (Connection open = source.connect(task.name());
        Statement statement = open.createStatement()) {
      // Until it ends there is no snapshot to load from.
      statement.execute("BEGIN; INSERT INTO item VALUES (1, 'open', 1)");
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        assertThat(running.daemon().reload(List.of(ITEM)).message()).contains("phase");
        statement.execute("COMMIT");
        refusesWhatMakesNoSense(running);
      }
    }
  }

  private static void refusesWhatMakesNoSense(RunningDaemon running) throws Exception {
    running.awaitPhase("replicating");
    assertThat(running.daemon().resume(List.of(ITEM)).details())
        .anyMatch(line -> line.contains("public.item") && line.contains("not suspended"));
    assertThat(running.daemon().reload(List.of(new TableId("public", "itme"))).details())
        .anyMatch(line -> line.contains("Did you mean \"public.item\""));
    Outcome mixed = running.daemon().reload(List.of(ITEM, new TableId("public", "part_1")));
    assertThat(mixed.details()).singleElement().asString().contains("Name the root: public.part");
    assertThat(running.daemon().status().suspended()).isEmpty();
    assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    assertThat(running.daemon().reload(List.of(ITEM)).message()).contains("cut-over");
  }

  private DdlTask task(String name, String setting) throws Exception {
    DdlTask task = DdlTask.make(folder, name, source, target, setting);
    Files.writeString(
        task.file(),
        Files.readString(task.file())
            .replace(
                "RecoverableErrorInterval: 0.2",
                "RecoverableErrorInterval: 0.2, DataErrorPolicy: SUSPEND_TABLE,"
                    + " TableErrorPolicy: SUSPEND_TABLE"));
    return task;
  }

  private static void awaitState(RunningDaemon running, String state) {
    await(state)
        .atMost(PATIENCE)
        .until(
            () ->
                running.daemon().status().suspended().stream()
                    .anyMatch(table -> table.state().equals(state)));
  }

  private static SuspendedStatus suspended(RunningDaemon running) {
    return running.daemon().status().suspended().get(0);
  }

  /** An application that changes the three tables, keys too, in one transaction after the other. */
  private static final class Writes implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final Thread thread = new Thread(this::run, "writes");
    private final DdlTask task;
    private volatile int done;
    private volatile boolean stop;
    private volatile SQLException failure;

    private Writes(DdlTask task) {
      this.task = task;
      thread.start();
    }

    private void run() {
      try (Connection connection = source.connect(task.name());
          Statement statement = connection.createStatement()) {
        for (int i = 1; !stop; i++) {
          statement.execute(
              """
              BEGIN;
              INSERT INTO item VALUES (%1$d + 100000, 'new', %1$d);
              UPDATE item SET id = -id, name = 'key' WHERE id = %1$d;
              DELETE FROM item WHERE id = %1$d + 1000;
              INSERT INTO bare VALUES (%1$d %% 7, 'new');
              UPDATE bare SET b = 'changed' WHERE ctid = (SELECT ctid FROM bare WHERE a = %1$d %% 5 LIMIT 1);
              DELETE FROM bare WHERE ctid = (SELECT ctid FROM bare WHERE a = %1$d %% 3 LIMIT 1);
              UPDATE part SET at = (at + 100) %% 200, v = 'moved' WHERE id = %1$d %% 1000;
              INSERT INTO part VALUES (%1$d + 100000, %1$d %% 200, 'new');
              COMMIT
              """
                  .formatted(i));
          done = i;
          // Lets the sink keep up, however slow the machine is.
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      } catch (SQLException e) {
        failure = e;
      }
    }

    private void awaitMore(int transactions) {
      int wanted = done + transactions;
      await().atMost(PATIENCE).until(() -> done >= wanted || failure != null);
    }

    @Override
    public void close() throws SQLException {
      stop = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
