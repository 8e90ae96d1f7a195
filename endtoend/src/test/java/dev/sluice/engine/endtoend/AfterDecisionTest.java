package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Once the source has decided, the target is opened, whatever fails then. */
@ExtendWith(SharedBroker.class)
class AfterDecisionTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private EmbeddedPostgres.Builder sourceServer;
  private EmbeddedPostgres.Builder targetServer;
  private EmbeddedPostgres source;
  private EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeEach
  void startServers() throws Exception {
    sourceServer = EmbeddedPostgres.builder().directory(folder.resolve("source"));
    source = sourceServer.start();
    targetServer = EmbeddedPostgres.builder().directory(folder.resolve("target"));
    target = targetServer.start();
  }

  @AfterEach
  void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aTargetThatGoesAwayForAMomentIsOpenedWithoutAnotherRequest() throws Exception {
    Path task = task("restarted");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      CompletableFuture<Outcome> verdict;
      try (Connection other = hold("restarted", task)) {
        verdict = order(running);
        awaitHeld("restarted");
        assertThat(step("restarted")).isEqualTo("quiet");
        assertThat(other.isClosed()).isFalse();
        target.close();
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(running.daemon().status().problem())
                      .contains("the cutover's last steps", "next try"));
      assertThat(verdict).isNotDone();
      target = targetServer.port(target.port()).start();

      Outcome done = verdict.get(10, TimeUnit.MINUTES);
      assertThat(done.ending()).as(done.toString()).isEqualTo(Ending.DONE);
      running.awaitPhase("cut-over");
      // The replication, which ends after it, has seen the same.
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(running.daemon().status().problem()).isNull());
      assertOpen("restarted");
    }
  }

  @Test
  void whatCannotPassIsReportedAndTriedAgainOnRequestAndThenTheReplicationEnds() throws Exception {
    Path task = task("refused");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      context(task).cutOverTables().create();
      execute(
          target,
          "refused",
          "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN RAISE EXCEPTION ''no''; END';"
              + " CREATE TRIGGER refuse BEFORE INSERT ON sluice_cutover.cut_over_table"
              + " EXECUTE FUNCTION public.refuse();"
              + " ALTER TABLE sluice_cutover.cut_over_table ENABLE ALWAYS TRIGGER refuse");
      Outcome broken = running.daemon().cutover(order());
      assertThat(broken.ending()).isEqualTo(Ending.UNDECIDED);
      assertThat(running.daemon().status().problem()).contains("broke off", "no");
      assertNothingIsApplied("refused");
      assertThat(running.daemon().cutover(order()).ending()).isEqualTo(Ending.UNDECIDED);

      execute(target, "refused", "DROP TRIGGER refuse ON sluice_cutover.cut_over_table");
      Outcome done = running.daemon().cutover(order());
      assertThat(done.message()).startsWith("cut over");
      running.awaitPhase("cut-over");
      awaitWritten(running);
      assertOpen("refused");
    }
  }

  @Test
  void aRepeatedRequestEndsTheReplication() throws Exception {
    Path task = task("ends");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      CompletableFuture<Outcome> verdict;
      try (Connection other = hold("ends", task)) {
        verdict = order(running);
        awaitHeld("ends");
        running
            .daemon()
            .cutover(new CutoverOrder(Duration.ZERO, Optional.of(Duration.ZERO), Set.of()));
        other.rollback();
      }
      assertThat(verdict.get(10, TimeUnit.MINUTES).ending()).isEqualTo(Ending.DONE);
      assertNothingIsApplied("ends");
      awaitWritten(running);
      assertOpen("ends");
    }
  }

  @Test
  void aSourceThatIsLostRightAfterItHasDecidedIsNotNeeded() throws Exception {
    Path task = task("lost");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      CompletableFuture<Outcome> verdict;
      try (Connection other = hold("lost", task)) {
        verdict = order(running);
        awaitHeld("lost");
        source.crash();
        other.rollback();
      }
      Outcome done = verdict.get(10, TimeUnit.MINUTES);
      assertThat(done.ending()).as(done.toString()).isEqualTo(Ending.DONE);
      assertThat(done.details()).anyMatch(line -> line.startsWith("the source does not answer"));
      running.awaitPhase("cut-over");
      assertOpen("lost");
      assertThat(folder.resolve("said")).content().isEqualTo("pause\nmoved\n");
    }
  }

  @Test
  void aStartAfterTheDecisionNeedsNeitherTheSourceNorTheJournal() throws Exception {
    Path task = SharedBroker.removeFrom(task("started"));
    context(task).cutOverTables().create();
    execute(
        target,
        "started",
        "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN RAISE EXCEPTION ''no''; END';"
            + " CREATE TRIGGER refuse BEFORE INSERT ON sluice_cutover.cut_over_table"
            + " EXECUTE FUNCTION public.refuse();"
            + " ALTER TABLE sluice_cutover.cut_over_table ENABLE ALWAYS TRIGGER refuse");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      assertThat(running.daemon().cutover(order()).ending()).isEqualTo(Ending.UNDECIDED);
    }
    assertThat(folder.resolve("said")).content().isEqualTo("pause\n");
    source.crash();
    try (Stream<Path> journal = Files.walk(folder.resolve("data").resolve("kafka"))) {
      for (Path file : journal.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    execute(target, "started", "DROP TRIGGER refuse ON sluice_cutover.cut_over_table");
    try (RunningDaemon running = RunningDaemon.start(TaskFile.read(task))) {
      running.awaitPhase("cut-over");
      assertOpen("started");
      assertThat(folder.resolve("said")).content().isEqualTo("pause\nmoved\n");
    }
    try (RunningDaemon again = RunningDaemon.start(TaskFile.read(task))) {
      again.awaitPhase("cut-over");
    }
  }

  /** Only the watch of the source sees it, since nothing is applied. */
  private static void awaitWritten(RunningDaemon running) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(running.daemon().status().problem()).contains("shop.noted 1 change"));
  }

  /** The source's owner opens a table and writes to it. */
  private void assertNothingIsApplied(String database) throws SQLException {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                text(source, database, "SELECT count(*) FROM pg_replication_slots WHERE active")
                    .equals("0"));
    execute(
        source,
        database,
        "SET sluice_moved.ddl = 'allowed';"
            + " ALTER TABLE shop.noted DISABLE TRIGGER ALL;"
            + " INSERT INTO shop.noted (note) VALUES ('too late');"
            + " ALTER TABLE shop.noted ENABLE ALWAYS TRIGGER \"!sluice_moved\"");
  }

  /** Changes committed after the decision are not on the target, which gives out new numbers. */
  private void assertOpen(String database) throws SQLException {
    assertThat(text(target, database, "SELECT string_agg(note, ',') FROM shop.noted"))
        .isEqualTo("first");
    assertThat(
            text(
                target,
                database,
                "SELECT convalidated FROM pg_constraint WHERE conname = 'spoken'"))
        .isEqualTo("t");
    assertThat(text(target, database, "SELECT nextval('shop.noted_id_seq') > 1")).isEqualTo("t");
  }

  private Path task(String name) throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    execute(
        source,
        name,
        "CREATE SCHEMA shop; CREATE TABLE shop.noted (id serial PRIMARY KEY,"
            + " note text CONSTRAINT spoken CHECK (note <> ''));"
            + " INSERT INTO shop.noted (note) VALUES ('first')");
    return TaskFolder.of(folder, name, source, target, name, "shop")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                + " RecoverableErrorThrottlingMax: 1}}")
        .replacing(
            "data-dir:",
            """
            cutover:
              hooks:
                - exec:
                    name: till
                    pause: [sh, -c, 'echo pause >> %1$s']
                    resume: [sh, -c, 'echo $SLUICE_OUTCOME >> %1$s']
            data-dir:"""
                .formatted(folder.resolve("said")))
        .write();
  }

  private static TaskContext context(Path task) {
    TaskConfig config = TaskFile.read(task);
    return TaskContext.of(config);
  }

  private static CutoverOrder order() {
    return new CutoverOrder(PATIENCE, Optional.of(Duration.ofSeconds(30)), Set.of());
  }

  private static CompletableFuture<Outcome> order(RunningDaemon running) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return running.daemon().cutover(order());
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Opens a transaction that keeps the tables from being recorded as cut over. */
  private Connection hold(String database, Path task) throws SQLException {
    context(task).cutOverTables().create();
    Connection other = target.connect(database);
    other.setAutoCommit(false);
    execute(other, "LOCK TABLE sluice_cutover.cut_over_table IN SHARE MODE");
    return other;
  }

  private void awaitHeld(String database) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                !text(
                        target,
                        database,
                        "SELECT count(*) FROM pg_locks WHERE NOT granted"
                            + " AND relation = 'sluice_cutover.cut_over_table'::regclass")
                    .equals("0"));
  }

  private String step(String task) throws SQLException {
    return text(
        target,
        task,
        "SELECT coalesce((SELECT state FROM sluice_control.task_step WHERE step = 'cutover'), '')");
  }
}
