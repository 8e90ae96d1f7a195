package dev.sluice.engine.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.daemon.DdlTask;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last step of a resync, on a real target. */
class ResyncEndTest {
  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aResyncEndsAndDeletesTheRejectedChangesUnlessOneCameAfterThePassBegan() throws Exception {
    DdlTask task = task("ended");
    TaskContext context = TaskContext.of(task.config());
    Checkpoint claimed = running(context);
    RejectedChanges rejected = new RejectedChanges(context.controlSchema(), context.task());
    reject(task);
    long firstPass = rejected.newest(context.target());
    reject(task);

    new ResyncEnd(context).record(claimed, firstPass);
    assertThat(state(context)).isEqualTo(TaskStepNames.RESYNC_RUNNING);
    assertThat(rejections(task)).isEqualTo("2");

    new ResyncEnd(context).record(claimed, rejected.newest(context.target()));
    assertThat(state(context)).isEqualTo(TaskStepNames.RESYNC_DONE);
    assertThat(rejections(task)).isEqualTo("0");
  }

  @Test
  void aDaemonThatLostItsTaskEndsNoResync() throws Exception {
    DdlTask task = task("taken");
    TaskContext context = TaskContext.of(task.config());
    Checkpoint claimed = running(context);
    reject(task);
    long newest =
        new RejectedChanges(context.controlSchema(), context.task()).newest(context.target());
    TaskContext.of(task.config()).claim().next();

    assertThatThrownBy(() -> new ResyncEnd(context).record(claimed, newest))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(state(context)).isEqualTo(TaskStepNames.RESYNC_RUNNING);
    assertThat(rejections(task)).isEqualTo("1");
  }

  private DdlTask task(String name) throws Exception {
    return DdlTask.make(folder, name, source, target, "");
  }

  private static Checkpoint running(TaskContext context) {
    context.checkpoints().create();
    Checkpoint claimed = context.claim().next();
    context.steps().record(claimed, TaskStepNames.RESYNC, TaskStepNames.RESYNC_RUNNING, "");
    return claimed;
  }

  private static String state(TaskContext context) {
    return context.steps().read(context.task(), TaskStepNames.RESYNC).map(TaskStep::state).get();
  }

  private static String rejections(DdlTask task) throws Exception {
    return task.target("SELECT count(*) FROM sluice_control.sluice_apply_exceptions");
  }

  private static void reject(DdlTask task) throws Exception {
    task.onTarget(
        """
        INSERT INTO sluice_control.sluice_apply_exceptions (task_name, table_owner, table_name,
          statement, error, sqlstate, kind, action, operation, journal_term, journal_transaction,
          change_number, commit_time, source_schema, source_table, position)
        VALUES ('%s', '', '', '', '', '', 'INSERT_CONFLICT', 'LOG_ERROR', 'INSERT', 1, 1, 1, now(),
          'public', 'item', '0/1')
        """
            .formatted(task.name()));
  }
}
