package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskFile;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.daemon.TaskRemoval;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.sink.control.schema.Checkpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A server that hangs or is gone holds neither the writers nor the applications. */
@ExtendWith(SharedBroker.class)
class HungServerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private EmbeddedPostgres source;
  private EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeEach
  void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterEach
  void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aTargetThatHangsWhileWritersAreStoppedHoldsNobodyBeyondTheBudget() throws Exception {
    Path task = task("hung");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      CompletableFuture<Outcome> verdict;
      try (Connection other = target.connect("hung");
          Connection writer = source.connect("hung")) {
        other.setAutoCommit(false);
        execute(other, "ALTER SEQUENCE shop.noted_id_seq CACHE 1");
        verdict = CompletableFuture.supplyAsync(() -> cutover(running));
        awaitHeld("hung");
        try {
          target.freeze();
          // Waits for the locks, and goes on.
          execute(writer, "SET statement_timeout = '4min'");
          execute(writer, "INSERT INTO shop.noted (note) VALUES ('goes on')");
          await().atMost(PATIENCE).until(() -> said().equals("pause\npause\nreleased\nreleased\n"));
          assertThat(verdict).isNotDone();
          assertThat(running.daemon().status().cutover().step()).contains("the budget is over");
        } finally {
          target.thaw();
        }
        other.rollback();
      }
      Outcome failed = verdict.get(10, TimeUnit.MINUTES);
      assertThat(failed.ending()).isEqualTo(Ending.FAILED);
      assertThat(failed.message()).contains("budget of the cutover");
      running.awaitPhase("replicating");
    }
    try (RunningDaemon again = RunningDaemon.start(TaskFile.read(task))) {
      again.awaitPhase("replicating");
      assertThat(text(target, "hung", STEP)).isEqualTo("failed");
      assertThat(said()).isEqualTo("pause\npause\nreleased\nreleased\n");
    }
  }

  @Test
  void aStartThatFailsLetsThoseGoFirstWhomAnEarlierDaemonHeld() throws Exception {
    Path task = task("failing");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    }
    TaskContext context = TaskContext.of(TaskFile.read(task));
    context
        .steps()
        .record(
            context.checkpoints().read(context.task()).orElseThrow(),
            TaskStepNames.HOOK + "till",
            TaskStepNames.HOOK_HOLDS,
            "by hand");
    source.close();
    try (RunningDaemon failing = RunningDaemon.start(TaskFile.read(task))) {
      assertThatThrownBy(failing::awaitEnd).hasMessageContaining("source");
    }
    assertThat(said()).isEqualTo("released\n");
  }

  @Test
  void aRemovalAsksTheSourceWhatWasDecidedAndLetsThoseGoWhoAreHeld() throws Exception {
    Path task = task("removed");
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
    }
    TaskContext context = TaskContext.of(TaskFile.read(task));
    Checkpoint holder = context.checkpoints().read(context.task()).orElseThrow();
    UUID cutover = UUID.randomUUID();
    context
        .steps()
        .record(holder, TaskStepNames.HOOK + "till", TaskStepNames.HOOK_HOLDS, "by hand");
    context
        .steps()
        .record(
            holder,
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_DECIDING,
            cutover + " " + Instant.now());
    WriterStop writers = context.source().writers().orElseThrow();
    try (StoppedWriters stopped =
        writers.stop(
            new WriterStop.Request(
                cutover, List.of(TableId.parse("shop.noted")), PATIENCE, PATIENCE))) {
      stopped.prepareMove(context.movedTo());
      // It could still be decided.
      assertThatThrownBy(() -> remove(context)).hasMessageContaining("only the source knows");
      assertThat(text(target, "removed", STEP)).isEqualTo("deciding");
      assertThat(said()).isEmpty();
      stopped.decide();
    }
    assertThatThrownBy(() -> remove(context)).hasMessageContaining("has not ended");
    assertThat(said()).isEmpty();
    // Who opens the source again takes the cutover back.
    assertThat(removeReopening(context)).anyMatch(line -> line.startsWith("recorded: "));
    assertThat(said()).isEqualTo("released\n");
    assertThat(context.cutOverTables().of("removed")).hasSize(1);
    assertThat(writers.decision(cutover, PATIENCE)).isEqualTo(WriterStop.Decision.MOVED);
  }

  private static List<String> remove(TaskContext context) {
    try (TaskLock lock = TaskLock.take(context.task(), context.config().dataDir())) {
      return TaskRemoval.of(context.config()).remove(lock);
    }
  }

  private static List<String> removeReopening(TaskContext context) {
    try (TaskLock lock = TaskLock.take(context.task(), context.config().dataDir())) {
      return TaskRemoval.of(context.config()).remove(lock, true);
    }
  }

  private static final String STEP =
      "SELECT state FROM sluice_control.task_step WHERE step = 'cutover'";

  private static Outcome cutover(RunningDaemon running) {
    try {
      return running
          .daemon()
          .cutover(new CutoverOrder(PATIENCE, Optional.of(Duration.ofSeconds(6)), Set.of("lag")));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
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
                            + " AND relation = 'shop.noted_id_seq'::regclass")
                    .equals("0"));
  }

  private String said() throws Exception {
    Path said = folder.resolve("said");
    return Files.exists(said) ? Files.readString(said) : "";
  }

  private Path task(String name) throws Exception {
    source.createDatabase(name);
    target.createDatabase(name);
    create(name);
    String hook =
        "    - exec:\n        name: %s\n        pause: [sh, -c, 'echo pause >> %s']\n"
            + "        resume: [sh, -c, 'echo $SLUICE_OUTCOME >> %s']\n";
    Path said = folder.resolve("said");
    return TaskFolder.of(folder, name, source, target, name, "shop")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                + " RecoverableErrorThrottlingMax: 1}}")
        .replacing(
            "data-dir:",
            "cutover:\n  hooks:\n"
                + hook.formatted("till", said, said)
                + hook.formatted("shelf", said, said)
                + "data-dir:")
        .write();
  }

  private void create(String name) throws SQLException {
    execute(
        source,
        name,
        "CREATE SCHEMA shop; CREATE TABLE shop.noted (id serial PRIMARY KEY, note text);"
            + " INSERT INTO shop.noted (note) VALUES ('first')");
  }
}
