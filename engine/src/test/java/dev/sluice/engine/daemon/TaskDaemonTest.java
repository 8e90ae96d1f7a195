package dev.sluice.engine.daemon;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.SettingsStatus;
import dev.sluice.engine.status.StatusServer;
import dev.sluice.engine.status.TableStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.engine.status.WindowsStatus;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The daemon in this process, on real servers and a real broker. */
@ExtendWith(SharedBroker.class)
class TaskDaemonTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A history in which the target's lag is known. */
  private static final Pattern MEASURED =
      Pattern.compile("\"target_latency_seconds\":\\[[^]]*[0-9]");

  /** Who notes that a cutover failed waits until the lock is free. */
  private static final String FAILURES_WAIT =
      """
      CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NEW; END $$;
      CREATE TRIGGER waits BEFORE INSERT OR UPDATE ON sluice_control.task_step
        FOR EACH ROW WHEN (NEW.state = 'failed') EXECUTE FUNCTION public.wait();
      ALTER TABLE sluice_control.task_step ENABLE ALWAYS TRIGGER waits
      """;

  private static final String IDENTITIES =
      "SELECT string_agg(relname || ' ' || relreplident::text, ',' ORDER BY relname) FROM pg_class"
          + " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";

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
  void aCutoverNamesWhoStillWritesAndSucceedsOnceTheyHaveEnded() throws Exception {
    TaskConfig config = task("writers", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      Connection writer = source.connect("writers");
      writer.setAutoCommit(false);
      execute(writer, "INSERT INTO noted (note) VALUES ('under way')");

      Outcome refused = running.cutover(Duration.ofMillis(500));
      assertThat(refused.success()).isFalse();
      assertThat(refused.message()).contains("still open").contains("process ");
      assertThat(running.phase()).isEqualTo("replicating");

      writer.commit();
      execute(writer, "INSERT INTO noted (note) VALUES ('prepared')");
      execute(writer, "PREPARE TRANSACTION 'forgotten'");
      writer.setAutoCommit(true);
      assertThat(running.cutover(Duration.ofMillis(500)).message()).contains("'forgotten'");
      execute(writer, "COMMIT PREPARED 'forgotten'");
      writer.close();

      Outcome done = running.daemon().cutover(PATIENCE);
      assertThat(done.success()).as(done.message()).isTrue();
      assertThat(running.phase()).isEqualTo("cut-over");
      assertThat(text(target, "writers", "SELECT string_agg(note, ',' ORDER BY id) FROM noted"))
          .isEqualTo("first,under way,prepared");
      Outcome again = running.daemon().cutover(PATIENCE);
      assertThat(again.success()).as(again.message()).isTrue();
      // Last: a sequence of the source that is used after the cutover counts as a write.
      assertThat(text(target, "writers", "SELECT nextval('noted_id_seq')"))
          .isEqualTo(text(source, "writers", "SELECT nextval('noted_id_seq')"));
    }
  }

  @Test
  void aThreadThatEndsByAnErrorIsTheFailureOfTheTaskAndWhatWasReadIsApplied() throws Exception {
    TaskConfig config = task("broken", "full-load-and-cdc", "");
    RunningDaemon running = RunningDaemon.replicating(config);
    Error error = new NoClassDefFoundError("dev/sluice/Gone");
    running.errors().accept(new Thread("sluice-monitor"), error);
    assertThatThrownBy(running::awaitEnd)
        .hasRootCause(error)
        .hasMessageContaining("thread sluice-monitor ended with")
        .hasMessageContaining("dev/sluice/Gone");
    assertThat(running.phase()).isEqualTo("failed");
    RunningDaemon.replicating(config).close();
  }

  @Test
  void aTaskThatIsCutOverStaysSoAndAppliesNothingMore() throws Exception {
    TaskConfig config = task("stays", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
    execute(source, "stays", "INSERT INTO noted (note) VALUES ('too late')");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      assertThat(again.daemon().cutover(PATIENCE).details())
          .anyMatch(line -> line.contains("verdict"));
      assertThat(text(target, "stays", "SELECT count(*) FROM noted")).isEqualTo("1");
    }
  }

  @Test
  void aTargetThatWasCutOverIsLoadedAgainOnlyOnceThatIsForgotten() throws Exception {
    TaskConfig config = task("handed", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
    execute(target, "handed", "INSERT INTO noted (note) VALUES ('by the application')");
    remove(config);
    execute(target, "handed", "DROP SCHEMA IF EXISTS sluice_control CASCADE");
    assertThat(TaskChecks.of(config).findings().problems())
        .extracting(Problem::toString)
        .anyMatch(met -> met.contains("task handed was cut over") && met.contains("public.noted"))
        .noneMatch(met -> met.contains("overwrite-target-rows"));

    TaskConfig overwriting = overwriting("handed");
    assertThatThrownBy(() -> RunningDaemon.start(overwriting).awaitEnd())
        .hasMessageContaining("was cut over")
        .hasMessageContaining("forget-cutover")
        .hasMessageNotContaining("2 rows");
    TaskConfig following =
        edited("handed", "migration-type: full-load-and-cdc", "migration-type: cdc");
    assertThat(TaskChecks.of(following).findings().problems())
        .extracting(Problem::found)
        .singleElement()
        .asString()
        .contains("was cut over");
    assertThat(text(target, "handed", "SELECT count(*) FROM noted")).isEqualTo("2");

    assertThat(CutoverMemory.of(overwriting.target(), "another")).isEmpty();
    Set<TableId> cutOver = CutoverMemory.of(overwriting.target(), "handed").keySet();
    assertThat(cutOver).containsExactly(new TableId("public", "noted"));
    assertThat(CutoverMemory.forget(overwriting.target(), "another", cutOver)).isEmpty();
    assertThat(CutoverMemory.forget(overwriting.target(), "handed", cutOver))
        .containsExactlyElementsOf(cutOver);
    assertThat(TaskChecks.of(config).findings().problems())
        .extracting(Problem::found)
        .anyMatch(met -> met.contains("public.noted (2 rows)"));
    TaskConfig loading =
        edited("handed", "migration-type: cdc", "migration-type: full-load-and-cdc");
    try (RunningDaemon again = RunningDaemon.start(loading)) {
      again.awaitPhase("replicating");
      assertThat(text(target, "handed", "SELECT count(*) FROM noted")).isEqualTo("1");
    }
  }

  @Test
  void aCutoverThatIsDecidedEndsBeforeItsTaskIsRemoved() throws Exception {
    TaskConfig config = task("middle", "full-load-and-cdc", "");
    RunningDaemon.replicating(config).close();
    execute(
        target,
        "middle",
        "INSERT INTO sluice_control.task_step (task, step, state, detail)"
            + " VALUES ('middle', 'cutover', 'quiet', '2026-01-01T00:00:00Z')");
    assertThatThrownBy(() -> remove(config))
        .hasMessageContaining("its cutover is decided and has not ended");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
    }
    remove(config);
    assertThat(TaskChecks.of(overwriting("middle")).findings().problems())
        .extracting(Problem::found)
        .singleElement()
        .asString()
        .contains("was cut over")
        .contains("public.noted");
  }

  @Test
  void rowsOfALoadThatCameToItsEndAreNotTheTasksOwnAnyMore() throws Exception {
    TaskConfig config = task("ended", "full-load", "");
    RunningDaemon.start(config).awaitEnd();
    execute(target, "ended", "INSERT INTO noted (note) VALUES ('by the application')");
    TaskConfig following =
        edited("ended", "migration-type: full-load", "migration-type: full-load-and-cdc");
    assertThatThrownBy(() -> RunningDaemon.start(following).awaitEnd())
        .hasMessageContaining("public.noted (2 rows)")
        .hasMessageContaining("overwrite-target-rows: true");
    assertThat(text(target, "ended", "SELECT count(*) FROM noted")).isEqualTo("2");
    try (RunningDaemon again = RunningDaemon.start(overwriting("ended"))) {
      again.awaitPhase("replicating");
      assertThat(text(target, "ended", "SELECT count(*) FROM noted")).isEqualTo("1");
    }
  }

  @Test
  void aCutoverThatWasKilledAfterTheFencesIsFinishedAtTheNextStart() throws Exception {
    TaskConfig config = task("killed", "full-load-and-cdc", "");
    RunningDaemon.replicating(config).close();
    // The record on the target of a daemon that was killed after both fences.
    execute(
        target,
        "killed",
        "INSERT INTO sluice_control.task_step (task, step, state, detail)"
            + " VALUES ('killed', 'cutover', 'quiet', '2026-01-01T00:00:00Z')");
    execute(source, "killed", "SELECT setval('noted_id_seq', 41)");
    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("cut-over");
      assertThat(text(target, "killed", "SELECT nextval('noted_id_seq')")).isEqualTo("42");
    }
  }

  @Test
  void aCutoverIsCalledFailedOnlyOnceTheTargetRemembersThat() throws Exception {
    TaskConfig config = task("unnoted", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config);
        Connection writer = source.connect("unnoted");
        Connection holder = target.connect("unnoted")) {
      execute(target, "unnoted", FAILURES_WAIT);
      execute(holder, "SELECT pg_advisory_lock(42)");
      writer.setAutoCommit(false);
      execute(writer, "INSERT INTO noted (note) VALUES ('under way')");
      CompletableFuture<Outcome> verdict =
          CompletableFuture.supplyAsync(() -> order(running, Duration.ofMillis(500)));
      // The session that is to note the failure is cut off.
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  text(
                          target,
                          "unnoted",
                          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                              + " WHERE wait_event_type = 'Lock' AND datname = 'unnoted'"
                              + " AND query LIKE '%task_step%' AND pid <> pg_backend_pid()")
                      .equals("1"));
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  verdict.isDone()
                      || text(
                              target,
                              "unnoted",
                              "SELECT count(*) FROM pg_locks l JOIN pg_database d"
                                  + " ON d.oid = l.database WHERE d.datname = 'unnoted'"
                                  + " AND NOT l.granted")
                          .equals("1"));
      assertThat(verdict).isNotDone();
      execute(holder, "SELECT pg_advisory_unlock(42)");
      assertThat(verdict.get(PATIENCE.toMinutes(), TimeUnit.MINUTES).message())
          .contains("still open");
      assertThat(cutoverStep("unnoted")).isEqualTo("failed");
      assertThat(running.phase()).isEqualTo("replicating");
      writer.rollback();
    }
  }

  @Test
  void aCutoverThatWasKilledBeforeTheFencesCountsAsFailedAndIsRequestedAgain() throws Exception {
    TaskConfig config = task("resumed", "full-load-and-cdc", "");
    RunningDaemon.replicating(config).close();
    execute(
        target,
        "resumed",
        "INSERT INTO sluice_control.task_step (task, step, state, detail)"
            + " VALUES ('resumed', 'cutover', 'begun', '')");
    execute(source, "resumed", "INSERT INTO noted (note) VALUES ('meanwhile')");
    try (RunningDaemon again = RunningDaemon.replicating(config)) {
      assertThat(cutoverStep("resumed")).isEqualTo("failed");
      assertThat(again.daemon().cutover(PATIENCE).success()).isTrue();
      assertThat(text(target, "resumed", "SELECT count(*) FROM noted")).isEqualTo("2");
    }
  }

  @Test
  void aSuspendedTableIsNamedByEveryProofAndKeepsTheCutoverFromSucceeding() throws Exception {
    TaskConfig config = task("suspended", "full-load-and-cdc", "");
    RunningDaemon.replicating(config).close();
    execute(
        target,
        "suspended",
        "INSERT INTO sluice_control.sluice_suspended_tables (server_name, task_name, table_owner,"
            + " table_name, suspend_reason, suspend_timestamp, source_schema, source_table,"
            + " first_position, position, journal_term, journal_transaction, next_offset,"
            + " journal_topic_id) SELECT 'here', task, 'public', 'noted', 'a test', now(),"
            + " 'public', 'noted', position, position, journal_term, journal_transaction,"
            + " next_offset, journal_topic_id FROM sluice_control.checkpoint");
    try (RunningDaemon again = RunningDaemon.replicating(config)) {
      assertThat(again.daemon().fence(PATIENCE).message()).contains("suspended").contains("noted");
      Outcome refused = again.daemon().cutover(PATIENCE);
      assertThat(refused.success()).isFalse();
      assertThat(refused.message()).contains("suspended").contains("noted");
      assertThat(again.phase()).isEqualTo("replicating");
    }
  }

  @Test
  void aTaskThatOnlyFollowsTakesWhatComesAfterItsStartAndGoesOn() throws Exception {
    TaskConfig config = task("follows", "cdc", "");
    execute(target, "follows", "CREATE TABLE noted (id serial PRIMARY KEY, note text)");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      execute(source, "follows", "INSERT INTO noted (note) VALUES ('second')");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    }
    execute(source, "follows", "INSERT INTO noted (note) VALUES ('third')");
    try (RunningDaemon again = RunningDaemon.replicating(config)) {
      assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(target, "follows", "SELECT string_agg(note, ',' ORDER BY id) FROM noted"))
          .isEqualTo("second,third");
    }
  }

  @Test
  void aTableThatNoTriggerReportedIsNotFollowedPartly() throws Exception {
    TaskConfig config = task("grown", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
      execute(source, "grown", "DROP EVENT TRIGGER sluice_ddl_end");
      execute(source, "grown", "CREATE TABLE later (id int PRIMARY KEY)");
      execute(source, "grown", "INSERT INTO later VALUES (1)");
    }
    execute(target, "grown", "CREATE TABLE later (id int PRIMARY KEY)");
    try (RunningDaemon again = RunningDaemon.replicating(config)) {
      execute(source, "grown", "INSERT INTO later VALUES (2)");
      execute(source, "grown", "INSERT INTO noted (note) VALUES ('second')");
      assertThat(again.daemon().fence(PATIENCE).ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(text(target, "grown", "SELECT count(*) FROM later")).isEqualTo("0");
      assertThat(text(target, "grown", "SELECT count(*) FROM noted")).isEqualTo("2");
      assertThat(again.daemon().cutover(PATIENCE).message()).contains("table public.later");
      execute(source, "grown", "DROP TABLE later");
      assertThat(again.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void aFullLoadAloneEndsByItselfAndLeavesNoSlot() throws Exception {
    TaskConfig config =
        task(
            "loads",
            "full-load",
            "",
            "CREATE TABLE kept (note int CONSTRAINT of_a_note REFERENCES noted CHECK (note > 0));"
                + "CREATE INDEX kept_note ON kept (note)",
            "");
    RunningDaemon running = RunningDaemon.start(config);
    running.awaitEnd();
    assertThat(text(target, "loads", "SELECT count(*) FROM noted")).isEqualTo("1");
    assertThat(text(target, "loads", "SELECT convalidated FROM pg_constraint WHERE contype = 'f'"))
        .isEqualTo("t");
    assertThat(text(target, "loads", "SELECT count(*) FROM pg_indexes WHERE tablename = 'kept'"))
        .isEqualTo("1");
    assertThat(text(target, "loads", "SELECT nextval('noted_id_seq')")).isEqualTo("2");
    assertThat(
            text(
                target,
                "loads",
                "SELECT count(*) FROM sluice_control.completion_step WHERE state <> 'done'"))
        .isEqualTo("0");
    assertThat(text(source, "loads", slots("loads"))).isEqualTo("0");
    assertThat(config.dataDir().resolve("kafka")).as("no Kafka is needed").doesNotExist();
    assertThat(running.daemon().status().endpoints())
        .extracting(TaskStatus.Endpoint::name)
        .containsExactly("source", "target");
    RunningDaemon again = RunningDaemon.start(config);
    again.awaitEnd();
    assertThat(again.phase()).isEqualTo("stopped");
  }

  @Test
  void aStopAfterTheCachedChangesIsOneWithACheckpoint() throws Exception {
    TaskConfig config = task("cached", "full-load-and-cdc", "StopTaskCachedChangesApplied: true");
    RunningDaemon running = RunningDaemon.start(config);
    running.awaitEnd();
    assertThat(text(target, "cached", "SELECT count(*) FROM noted")).isEqualTo("1");
    assertThat(text(source, "cached", slots("cached"))).isEqualTo("1");
    remove(config);
    assertThat(text(source, "cached", slots("cached"))).isEqualTo("0");
    assertThat(text(target, "cached", "SELECT to_regnamespace('sluice_control')")).isNull();
  }

  @Test
  void aTableWithoutIdentityGetsOneWhereThatIsAllowed() throws Exception {
    TaskConfig config =
        task(
            "identity",
            "full-load-and-cdc",
            "",
            "CREATE TABLE keyless (n int); CREATE TABLE shared (n int);"
                + "CREATE TABLE silent (n int); ALTER TABLE silent REPLICA IDENTITY NOTHING;"
                + "CREATE TABLE altered (n int NOT NULL UNIQUE)",
            "replica-identity-full: true");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      execute(source, "identity", "INSERT INTO keyless VALUES (1), (1), (2)");
      execute(source, "identity", "DELETE FROM keyless WHERE n = 2");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(target, "identity", "SELECT string_agg(n::text, ',') FROM keyless"))
          .isEqualTo("1,1");
      execute(source, "identity", "CREATE TABLE later (n int)");
      execute(source, "identity", "CREATE PUBLICATION others FOR TABLE shared");
      execute(source, "identity", "ALTER TABLE altered REPLICA IDENTITY USING INDEX altered_n_key");
      execute(target, "identity", "CREATE TABLE sluice_control.of_the_user (n int)");
      assertThat(text(source, "identity", IDENTITIES))
          .isEqualTo("altered i,keyless f,later f,noted d,shared f,silent f");
    }
    List<String> removed;
    try (TaskLock lock = TaskLock.take("identity", config.dataDir())) {
      removed = TaskRemoval.of(config).remove(lock);
    }
    // Whose tables somebody else publishes, whose UPDATE and DELETE would be refused.
    assertThat(text(source, "identity", IDENTITIES))
        .isEqualTo("altered i,keyless d,later d,noted d,shared f,silent n");
    assertThat(removed)
        .contains(
            "removed: event triggers",
            "kept, since they are published: REPLICA IDENTITY FULL of [public.shared]");
    assertThat(text(source, "identity", "SELECT to_regnamespace('sluice_ddl')")).isNull();
    assertThat(
            text(
                target,
                "identity",
                "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace ="
                    + " to_regnamespace('sluice_control')"))
        .isEqualTo("of_the_user");
    try (TaskLock lock = TaskLock.take("identity", config.dataDir())) {
      assertThat(TaskRemoval.of(config).remove(lock))
          .hasSize(7)
          .allMatch(line -> line.startsWith("none: "));
    }
  }

  @Test
  void aStandbyThatTookOverIsFollowedFromWhereTheSlotWas() throws Exception {
    Path data = folder.resolve("failed-over");
    EmbeddedPostgres first = EmbeddedPostgres.builder().directory(data).start();
    int port = first.port();
    first.createDatabase("moved");
    target.createDatabase("moved");
    execute(first, "moved", "CREATE TABLE noted (id serial PRIMARY KEY, note text)");
    TaskConfig config =
        TaskFolder.of(folder.resolve("moved"), "moved", first, target, "moved", "public")
            .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      execute(first, "moved", "INSERT INTO noted (note) VALUES ('before')");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(
              text(
                  first,
                  "moved",
                  "SELECT failover FROM pg_replication_slots WHERE slot_name = 'sluice_moved'"))
          .as("handed on to standbys")
          .isEqualTo("t");
    }
    first.close();
    Files.createFile(data.resolve("standby.signal"));
    try (EmbeddedPostgres second =
        EmbeddedPostgres.builder()
            .directory(data)
            .port(port)
            .setting("hot_standby", "on")
            .start()) {
      execute(second, "moved", "SELECT pg_promote(true, 300)");
      execute(second, "moved", "INSERT INTO noted (note) VALUES ('after')");
      try (RunningDaemon again = RunningDaemon.replicating(config)) {
        assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
        assertThat(text(target, "moved", "SELECT string_agg(note, ',' ORDER BY id) FROM noted"))
            .isEqualTo("before,after");
        assertThat(text(target, "moved", "SELECT source_timeline FROM sluice_control.checkpoint"))
            .isEqualTo("2");
      }
    }
  }

  @Test
  void aCaptureThatIsCutOffIsRestartedUnderTheNextEpoch() throws Exception {
    TaskConfig config = task("cutoff", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      long epoch = running.daemon().status().epoch();
      execute(
          source,
          "cutoff",
          "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name ="
              + " 'sluice_cutoff'");
      execute(source, "cutoff", "INSERT INTO noted (note) VALUES ('after')");
      await().atMost(PATIENCE).until(() -> running.daemon().status().epoch() > epoch);
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(target, "cutoff", "SELECT count(*) FROM noted")).isEqualTo("2");
    }
  }

  @Test
  void whatWaitsAfterAFailureIsTriedAgainAtOnceOnRequest() throws Exception {
    task("retried", "full-load-and-cdc", "");
    TaskConfig config =
        edited("retried", "RecoverableErrorInterval: 0.2", "RecoverableErrorInterval: 86400");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      execute(
          target,
          "retried",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = 'retried' AND pid <> pg_backend_pid()");
      execute(source, "retried", "INSERT INTO noted (note) VALUES ('for the target')");
      awaitNextTry(running);
      assertThat(running.daemon().retry().message()).contains("next try at");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();

      long epoch = running.daemon().status().epoch();
      execute(
          source,
          "retried",
          "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name ="
              + " 'sluice_retried'");
      awaitNextTry(running);
      execute(source, "retried", "INSERT INTO noted (note) VALUES ('for the capture')");
      assertThat(running.daemon().status().epoch()).isEqualTo(epoch);
      running.daemon().retry();
      await().atMost(PATIENCE).until(() -> running.daemon().status().epoch() > epoch);
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(target, "retried", "SELECT count(*) FROM noted")).isEqualTo("3");
      assertThat(running.daemon().status().problem()).isNull();
    }
  }

  private static void awaitNextTry(RunningDaemon running) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              String problem = running.daemon().status().problem();
              return problem != null
                  && problem.contains("next try at")
                  && problem.contains("sluice retry");
            });
  }

  @Test
  void theStatusCountsByTableAndShowsTheLastWindow() throws Exception {
    TaskConfig config = task("counted", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      execute(
          source,
          "counted",
          "INSERT INTO noted (note) SELECT 'n' || g FROM generate_series(1, 9) g");
      execute(source, "counted", "UPDATE noted SET note = 'changed' WHERE id <= 4");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      TaskStatus status = running.daemon().status();
      TableStatus table = status.tables().get(0);
      assertThat(table.fullLoadRows()).isEqualTo(1);
      assertThat(table.inserts()).isEqualTo(9);
      assertThat(table.updates()).isEqualTo(4);
      assertThat(table.state()).isEqualTo("Table completed");
      assertThat(status.windows().last()).isNotNull();
      await().atMost(PATIENCE).until(() -> running.daemon().status().backlog().changes() == 0);
      await()
          .atMost(PATIENCE)
          .until(
              () -> Double.valueOf(0).equals(running.daemon().status().latency().targetSeconds()));
    }
  }

  @Test
  void windowsTuneThemselvesAndTheStatusSaysHow() throws Exception {
    TaskConfig config = task("planned", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.daemon().status().windows().plan()).isNull();
      Outcome tuned = running.daemon().tune(Map.of("BatchApplyTimeoutMin", "auto"));
      assertThat(tuned.details()).singleElement().asString().endsWith(" -> auto");
      for (int i = 1; i <= 8; i++) {
        execute(
            source,
            "planned",
            "INSERT INTO noted (note) SELECT 'n' FROM generate_series(1, " + 10 * i + ")");
        assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      }
      WindowsStatus.Plan plan = running.daemon().status().windows().plan();
      assertThat(plan.goalSeconds()).isEqualTo(1);
      assertThat(plan.readPerSecond()).isPositive();
      assertThat(plan.words()).contains("read ", "fixed cost ", "goal 1 s");
      assertThat(text(target, "planned", "SELECT count(*) FROM noted")).isEqualTo("361");
      running.daemon().tune(Map.of("BatchApplyTimeoutMin", "0.1"));
      execute(source, "planned", "INSERT INTO noted (note) VALUES ('last')");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      await().atMost(PATIENCE).until(() -> running.daemon().status().windows().plan() == null);
      assertThat(text(target, "planned", "SELECT count(*) FROM noted")).isEqualTo("362");
    }
  }

  @Test
  void aRunningDaemonAnswersThePageAndItsPlotsOutliveIt() throws Exception {
    TaskConfig config = task("watched", "full-load-and-cdc", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.phase()).isEqualTo("replicating");
      String address = "http://" + StatusServer.addressOf(config.dataDir()).orElseThrow();
      assertThat(read(address + "/")).contains("page/main.js");
      await().atMost(PATIENCE).until(() -> MEASURED.matcher(read(address + "/history")).find());
      execute(source, "watched", "INSERT INTO noted (note) SELECT 'n' FROM generate_series(1, 9)");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(read(address + "/windows"))
          .contains("\"lane\":\"main\"", "\"changes\":9,\"net_changes\":9", "\"insert\":")
          .contains("\"commit\":", "\"bytes\":");
    }
    assertThat(config.dataDir().resolve("history.json")).content().containsPattern(MEASURED);
  }

  private static String read(String address) throws IOException {
    try (InputStream answer = URI.create(address).toURL().openStream()) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aRunningTaskTakesWhatIsTunedAndWhatIsEditedAndKeepsItsSettingsAtABadEdit() throws Exception {
    TaskConfig config = task("tuned", "full-load-and-cdc", "");
    Path file = folder.resolve("tuned").resolve("task.yaml");
    String text = Files.readString(file);
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(running.setting("BatchApplyTimeoutMin").from()).isEqualTo("file");

      Outcome refused = running.daemon().tune(Map.of("BatchSplitSize", "one", "SwapLimit", "0"));
      assertThat(refused.success()).isFalse();
      assertThat(refused.details()).hasSize(2);
      assertThat(running.setting("BatchSplitSize").value()).isEqualTo("0 changes");

      Outcome tuned = running.daemon().tune(Map.of("BatchSplitSize", "3"));
      assertThat(tuned.message()).contains("until the daemon ends").contains(file.toString());
      assertThat(tuned.details())
          .containsExactly("ChangeProcessingTuning.BatchSplitSize: 0 changes -> 3 changes");
      assertThat(running.setting("BatchSplitSize").from()).isEqualTo("tune");
      execute(source, "tuned", "INSERT INTO noted (note) SELECT 'n' FROM generate_series(1, 9)");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();

      replace(file, text.replace("TimeoutMin: 0.1", "TimeoutMin: 0.2, Nonsense: 1"));
      await()
          .atMost(PATIENCE)
          .until(() -> !running.daemon().status().settings().problems().isEmpty());
      assertThat(running.daemon().status().settings().problems())
          .singleElement()
          .asString()
          .contains("Nonsense");
      assertThat(running.setting("BatchApplyTimeoutMin").value()).isEqualTo("0.1 s");

      replace(
          file,
          text.replace("TimeoutMin: 0.1", "TimeoutMin: 0.2")
              .replace("DROP_AND_CREATE, ", "DROP_AND_CREATE, CommitRate: 7"));
      await()
          .atMost(PATIENCE)
          .until(() -> running.setting("BatchApplyTimeoutMin").value().equals("0.2 s"));
      SettingsStatus settings = running.daemon().status().settings();
      assertThat(settings.problems()).isEmpty();
      assertThat(settings.waitingForRestart()).singleElement().asString().contains("CommitRate");
      assertThat(settings.changes())
          .extracting(change -> change.setting() + " " + change.from())
          .containsExactly(
              "ChangeProcessingTuning.BatchSplitSize tune",
              "ChangeProcessingTuning.BatchApplyTimeoutMin file");
      execute(source, "tuned", "INSERT INTO noted (note) VALUES ('last')");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(target, "tuned", "SELECT count(*) FROM noted")).isEqualTo("11");
    }
  }

  private TaskConfig overwriting(String name) throws IOException {
    return edited(name, "data-dir:", "overwrite-target-rows: true\ndata-dir:");
  }

  /** The task file with another piece, as the next daemon reads it. */
  private TaskConfig edited(String name, String part, String replacement) throws IOException {
    Path file = folder.resolve(name).resolve("task.yaml");
    String text = Files.readString(file);
    assertThat(text).contains(part);
    return TaskFile.read(Files.writeString(file, text.replace(part, replacement)));
  }

  private static void remove(TaskConfig config) {
    try (TaskLock lock = TaskLock.take(config.task().text(), config.dataDir())) {
      TaskRemoval.of(config).remove(lock);
    }
  }

  private TaskConfig task(String name, String type, String loadSetting) throws Exception {
    return task(name, type, loadSetting, "", "");
  }

  private TaskConfig task(
      String name, String type, String loadSetting, String moreTables, String sourceSetting)
      throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    execute(
        source,
        name,
        "CREATE TABLE noted (id serial PRIMARY KEY, note text);"
            + " INSERT INTO noted (note) VALUES ('first');"
            + moreTables);
    TaskFolder folder =
        TaskFolder.of(this.folder.resolve(name), name, source, target, name, "public");
    // A load alone needs no Kafka, of whoever it is.
    return (type.equals("full-load") ? folder.withOwnBroker() : folder)
        .replacing("migration-type: full-load-and-cdc", "migration-type: " + type)
        .replacing(
            "target:\n",
            sourceSetting.isEmpty() ? "target:\n" : "  " + sourceSetting + "\ntarget:\n")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE, "
                + loadSetting
                + "}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2}}")
        .config();
  }

  private static Outcome order(RunningDaemon running, Duration patience) {
    try {
      return running.cutover(patience);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** At once, so that nobody reads half of it. */
  private static void replace(Path file, String text) throws IOException {
    Path other = Files.writeString(file.resolveSibling("edited.yaml"), text);
    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String cutoverStep(String task) throws SQLException {
    return text(
        target,
        task,
        "SELECT coalesce((SELECT state FROM sluice_control.task_step WHERE step = 'cutover'), '')");
  }

  private static String slots(String task) {
    return "SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'sluice_" + task + "'";
  }
}
