package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Failures during a cutover: it fails or is finished, and nothing is lost. */
@ExtendWith(SharedBroker.class)
class CutoverFailureTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * While a cutover is under way nothing is applied before the lock is free, nor is it noted that
   * it failed.
   */
  private static final String CUTOVERS_WAIT =
      """
      CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM sluice_control.task_step WHERE step = 'cutover' AND state = 'begun')
        THEN PERFORM pg_advisory_xact_lock_shared(42);
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER waits BEFORE UPDATE ON sluice_control.checkpoint
        FOR EACH ROW EXECUTE FUNCTION public.wait();
      ALTER TABLE sluice_control.checkpoint ENABLE ALWAYS TRIGGER waits;
      CREATE TRIGGER waits BEFORE INSERT OR UPDATE ON sluice_control.task_step
        FOR EACH ROW WHEN (NEW.state = 'failed') EXECUTE FUNCTION public.wait();
      ALTER TABLE sluice_control.task_step ENABLE ALWAYS TRIGGER waits
      """;

  private static final String NOTING = "noting on the target";

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres.Builder targetServer;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() throws Exception {
    source = EmbeddedPostgres.start();
    targetServer =
        EmbeddedPostgres.builder().directory(Files.createTempDirectory("target").resolve("data"));
    target = targetServer.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aSourceThatIsWrittenToBetweenTheFencesFailsItAndIsNamed() throws Exception {
    Path task = task("written");
    try (RunningDaemon running = RunningDaemon.start(TaskFile.read(task));
        Connection application = source.connect("written");
        Connection other = target.connect("written")) {
      running.awaitPhase("replicating");
      execute(target, "written", CUTOVERS_WAIT);
      execute(other, "SELECT pg_advisory_lock(42)");
      CompletableFuture<Outcome> verdict = order(running, PATIENCE);
      awaitStep(running, "waiting for the first fence");
      // Begun before that one can come out, and committed after it has: between the two.
      application.setAutoCommit(false);
      execute(application, "INSERT INTO shop.noted (note) VALUES ('still on')");
      execute(other, "SELECT pg_advisory_unlock(42)");
      // On a busy machine the quiet time is over before anybody looks.
      awaitStep(
          running, "the first fence came out", "open transactions on the source to end again");
      application.commit();
      Outcome refused = verdict.get(10, TimeUnit.MINUTES);
      assertThat(refused.success()).isFalse();
      assertThat(refused.message())
          .contains("the source was written to during the cutover")
          .contains("shop.noted=1");
      assertThat(running.daemon().status().phase()).isEqualTo("replicating");
      assertThat(step("written")).isEqualTo("failed");

      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
      assertEqual("written");
    }
  }

  @Test
  void aTargetThatGoesAwayBeforeTheFencesFailsItOnceItIsBackAndTheTaskReplicatesOn()
      throws Exception {
    Path task = task("away");
    try (RunningDaemon running = RunningDaemon.start(TaskFile.read(task));
        Connection other = target.connect("away")) {
      running.awaitPhase("replicating");
      // However late the target goes away: it has not caught up, and no failure is recorded.
      execute(target, "away", CUTOVERS_WAIT);
      execute(other, "SELECT pg_advisory_lock(42)");
      CompletableFuture<Outcome> verdict = order(running, Duration.ofSeconds(3));
      awaitStep(running, "waiting for the first fence", NOTING);
      target.close();
      awaitStep(running, NOTING);
      assertThat(verdict).isNotDone();
      target = targetServer.port(target.port()).start();

      Outcome failed = verdict.get(10, TimeUnit.MINUTES);
      assertThat(failed.success()).isFalse();
      assertThat(failed.message()).contains("the target has not caught up");
      assertThat(step("away")).isEqualTo("failed");
      execute(source, "away", "INSERT INTO shop.noted (note) VALUES ('later')");
      // The record may be written before replication continues, in another phase for a moment.
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      running.awaitPhase("replicating");
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
      assertEqual("away");
    }
  }

  @Test
  void aTargetThatGoesAwayAfterTheFencesIsWaitedFor() throws Exception {
    Path task = task("rest");
    try (RunningDaemon running = RunningDaemon.start(TaskFile.read(task));
        Connection other = target.connect("rest")) {
      running.awaitPhase("replicating");
      hold(other);
      CompletableFuture<Outcome> verdict = order(running, PATIENCE);
      awaitHeld("rest");
      assertThat(step("rest")).isEqualTo("quiet");
      // No result was reported so far.
      execute(source, "rest", "INSERT INTO shop.noted (note) VALUES ('too late')");
      target.close();
      awaitStep(running, "the last steps are tried again");
      assertThat(running.daemon().cutover(Duration.ZERO).ending()).isEqualTo(Ending.UNDECIDED);
      assertThat(running.daemon().status().phase()).isEqualTo("cutting-over");
      target = targetServer.port(target.port()).start();

      Outcome done = verdict.get(10, TimeUnit.MINUTES);
      assertThat(done.ending()).isEqualTo(Ending.NOT_COVERED);
      assertThat(done.message()).contains("cut over, but").contains("shop.noted 1 change");
      assertThat(running.daemon().status().phase()).isEqualTo("cut-over");
      assertCutOver("rest");
    }
  }

  @Test
  void aDaemonThatLosesItsTaskAfterTheFencesRecordsNoSequences() throws Exception {
    Path task = task("lost");
    try (RunningDaemon running = RunningDaemon.start(TaskFile.read(task));
        Connection other = target.connect("lost")) {
      running.awaitPhase("replicating");
      hold(other);
      CompletableFuture<Outcome> verdict = order(running, PATIENCE);
      awaitHeld("lost");
      execute(target, "lost", "UPDATE sluice_control.checkpoint SET epoch = epoch + 1");
      other.rollback();

      Outcome undecided = verdict.get(10, TimeUnit.MINUTES);
      assertThat(undecided.ending()).isEqualTo(Ending.UNDECIDED);
      assertThat(undecided.message()).contains("was claimed by another daemon");
      assertThat(step("lost")).isEqualTo("quiet");
      assertThat(
              text(
                  target,
                  "lost",
                  "SELECT count(*) FROM sluice_control.task_step WHERE step = 'sequences'"))
          .isEqualTo("0");
    }
  }

  @Test
  void aDaemonThatIsKilledAfterTheFencesFinishesItAtItsNextStart() throws Exception {
    Path task = SharedBroker.removeFrom(task("killed"));
    try (Connection other = target.connect("killed")) {
      CompletableFuture<DaemonProcess.Finished> command;
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        hold(other);
        command = CompletableFuture.supplyAsync(() -> cutover(task));
        awaitHeld("killed");
        assertThat(step("killed")).isEqualTo("quiet");
        daemon.kill();
      }
      DaemonProcess.Finished undecided = command.get(10, TimeUnit.MINUTES);
      assertThat(undecided.exitCode()).isEqualTo(4);
      assertThat(undecided.output()).contains("undecided");
      other.rollback();
      execute(source, "killed", "INSERT INTO shop.noted (note) VALUES ('too late')");
      try (DaemonProcess again = DaemonProcess.run(task)) {
        again.awaitPhase("cut-over");
        assertCutOver("killed");
      }
    }
  }

  /** With one row in the table, whose sequence has given one number. */
  private Path task(String name) throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    execute(
        source,
        name,
        "CREATE SCHEMA shop; CREATE TABLE shop.noted (id serial PRIMARY KEY, note text);"
            + " INSERT INTO shop.noted (note) VALUES ('first')");
    return TaskFolder.of(folder, name, source, target, name, "shop")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                + " RecoverableErrorThrottlingMax: 1}}")
        .write();
  }

  private static CompletableFuture<Outcome> order(RunningDaemon running, Duration patience) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return running.daemon().cutover(patience);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static DaemonProcess.Finished cutover(Path task) {
    try {
      return DaemonProcess.command("cutover", task.toString(), "--quiet-period");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until the cutover is at one of these steps. */
  private static void awaitStep(RunningDaemon running, String... steps) {
    await(String.join(" or ", steps))
        .atMost(PATIENCE)
        .until(
            () -> {
              CutoverStatus cutover = running.daemon().status().cutover();
              return cutover != null && Stream.of(steps).anyMatch(cutover.step()::contains);
            });
  }

  /** Opens a transaction that keeps the target's sequences from being set until it ends. */
  private static void hold(Connection other) throws SQLException {
    other.setAutoCommit(false);
    execute(other, "ALTER SEQUENCE shop.noted_id_seq CACHE 1");
  }

  private static void awaitHeld(String database) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !text(
                        target,
                        database,
                        "SELECT count(*) FROM pg_locks WHERE NOT granted"
                            + " AND relation = 'shop.noted_id_seq'::regclass")
                    .equals("0"));
  }

  /** Changes committed after source and target were proven equal are not on the target. */
  private static void assertCutOver(String database) throws SQLException {
    assertThat(text(target, database, "SELECT string_agg(note, ',') FROM shop.noted"))
        .isEqualTo("first");
    assertThat(text(target, database, "SELECT nextval('shop.noted_id_seq') > 1")).isEqualTo("t");
  }

  private static void assertEqual(String database) throws SQLException {
    String rows = "SELECT count(*) || ' ' || sum(id) FROM shop.noted";
    assertThat(text(target, database, rows)).isEqualTo(text(source, database, rows));
    String next = "SELECT nextval('shop.noted_id_seq')";
    assertThat(text(target, database, next)).isEqualTo(text(source, database, next));
  }

  private static String step(String task) throws SQLException {
    return text(
        target,
        task,
        "SELECT coalesce((SELECT state FROM sluice_control.task_step WHERE step = 'cutover'), '')");
  }
}
