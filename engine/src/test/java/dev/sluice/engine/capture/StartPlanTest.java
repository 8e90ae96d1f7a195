package dev.sluice.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.MigrationType;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StartPlanTest {
  private static final TaskStep LOADING = step(TaskStepNames.LOAD, TaskStepNames.LOAD_RUNNING);
  private static final TaskStep LOADED = step(TaskStepNames.LOAD, TaskStepNames.LOAD_DONE);

  @Test
  void aNewTaskLoadsUnlessItOnlyFollows() {
    assertThat(plan(MigrationType.FULL_LOAD_AND_CDC, none())).isEqualTo(StartPlan.LOAD);
    assertThat(plan(MigrationType.FULL_LOAD, none())).isEqualTo(StartPlan.LOAD);
    assertThat(plan(MigrationType.CDC, none())).isEqualTo(StartPlan.FOLLOW);
  }

  @Test
  void anInterruptedLoadIsRepeated() {
    assertThat(plan(MigrationType.FULL_LOAD_AND_CDC, claimed(), LOADING)).isEqualTo(StartPlan.LOAD);
  }

  @Test
  void afterTheLoadItContinuesOrIsDone() {
    assertThat(plan(MigrationType.FULL_LOAD_AND_CDC, started(), LOADED)).isEqualTo(StartPlan.GO_ON);
    assertThat(plan(MigrationType.FULL_LOAD, claimed(), LOADED)).isEqualTo(StartPlan.NOTHING_LEFT);
  }

  @Test
  void aLoadWhoseTablesAreNotCompleteContinuesWithTheCompletion() {
    TaskStep incomplete = step(TaskStepNames.COMPLETION, TaskStepNames.COMPLETION_RUNNING);
    TaskStep complete = step(TaskStepNames.COMPLETION, TaskStepNames.COMPLETION_DONE);
    assertThat(plan(MigrationType.FULL_LOAD, claimed(), LOADED, incomplete))
        .isEqualTo(StartPlan.COMPLETE);
    assertThat(plan(MigrationType.FULL_LOAD, claimed(), LOADED, complete))
        .isEqualTo(StartPlan.NOTHING_LEFT);
    assertThat(plan(MigrationType.FULL_LOAD_AND_CDC, started(), LOADED, incomplete))
        .isEqualTo(StartPlan.GO_ON);
    assertThat(StartPlan.isIncomplete(List.of(LOADED, incomplete))).isTrue();
    assertThat(StartPlan.isIncomplete(List.of(LOADED, complete))).isFalse();
    assertThat(StartPlan.isIncomplete(List.of(LOADED))).isFalse();
  }

  @Test
  void loadedRowsWithoutAPositionAreLoadedAgain() {
    assertThat(plan(MigrationType.FULL_LOAD_AND_CDC, claimed(), LOADED)).isEqualTo(StartPlan.LOAD);
  }

  @Test
  void aTaskWithoutLoadContinuesOnceItHasStarted() {
    assertThat(plan(MigrationType.CDC, claimed())).isEqualTo(StartPlan.FOLLOW);
    assertThat(plan(MigrationType.CDC, started())).isEqualTo(StartPlan.GO_ON);
  }

  @Test
  void aCutoverContinuesWhereItWas() {
    assertThat(
            plan(
                MigrationType.FULL_LOAD_AND_CDC,
                started(),
                LOADED,
                step(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET)))
        .isEqualTo(StartPlan.FINISH_CUTOVER);
    assertThat(
            plan(
                MigrationType.FULL_LOAD_AND_CDC,
                started(),
                LOADED,
                step(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DONE)))
        .isEqualTo(StartPlan.CUT_OVER);
    assertThat(
            StartPlan.brokeOffCutover(
                List.of(step(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_BEGUN))))
        .isTrue();
  }

  @Test
  void aFailedCutoverIsNotRepeatedByItself() {
    TaskStep failed = step(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_FAILED);
    assertThat(plan(MigrationType.FULL_LOAD_AND_CDC, started(), LOADED, failed))
        .isEqualTo(StartPlan.GO_ON);
    assertThat(StartPlan.brokeOffCutover(List.of(LOADED, failed))).isFalse();
  }

  private static StartPlan plan(
      MigrationType type, Optional<Checkpoint> checkpoint, TaskStep... steps) {
    return StartPlan.of(type, checkpoint, List.of(steps));
  }

  private static Optional<Checkpoint> none() {
    return Optional.empty();
  }

  private static Optional<Checkpoint> claimed() {
    return Optional.of(
        new Checkpoint(
            "orders",
            1,
            Position.ZERO,
            Position.ZERO,
            0,
            0,
            0,
            Optional.empty(),
            Optional.empty()));
  }

  private static Optional<Checkpoint> started() {
    return claimed()
        .map(
            checkpoint ->
                checkpoint.startingAt(
                    new Position(1), 0, "topic", new Checkpoint.SourceServer("1", 1)));
  }

  private static TaskStep step(String step, String state) {
    return new TaskStep(step, state, "", Instant.EPOCH);
  }
}
