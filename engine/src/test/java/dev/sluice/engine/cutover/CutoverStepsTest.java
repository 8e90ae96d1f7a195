package dev.sluice.engine.cutover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CutoverStepsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static EmbeddedPostgres server;

  @TempDir Path folder;

  private String task;
  private TaskContext parts;
  private CutoverSteps steps;

  @BeforeAll
  static void startServer() {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void whatIsRecordedWhileTheNextEpochIsClaimedIsRecordedUnderThatOne() throws Exception {
    claim("claiming");
    CompletableFuture<Void> recorded = new CompletableFuture<>();
    Thread recording =
        new Thread(
            () -> {
              try {
                steps.record(TaskStepNames.CUTOVER_FAILED, "why");
                recorded.complete(null);
              } catch (RuntimeException e) {
                recorded.completeExceptionally(e);
              }
            });
    Checkpoint claimed =
        steps.claim(
            () -> {
              Checkpoint next = parts.claim().next();
              recording.start();
              await().atMost(PATIENCE).until(() -> recorded.isDone() || isWaiting(recording));
              return next;
            });
    recorded.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(claimed.epoch()).isEqualTo(2);
    assertThat(parts.steps().read(task, TaskStepNames.CUTOVER).orElseThrow().detail())
        .isEqualTo("why");
  }

  @Test
  void aTaskThatIsFencedRecordsNothing() throws Exception {
    claim("lost");
    parts.checkpoints().claim(task);
    assertThatThrownBy(() -> steps.record(TaskStepNames.CUTOVER_FAILED, "why"))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(parts.steps().read(task, TaskStepNames.CUTOVER)).isEmpty();
    assertThatThrownBy(
            () -> steps.record(TaskStepNames.SEQUENCES, TaskStepNames.SEQUENCES_SET, "[]"))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(parts.steps().read(task, TaskStepNames.SEQUENCES)).isEmpty();
  }

  @Test
  void whatIsRecordedOfSequencesLeavesTheCutoversOwnStep() throws Exception {
    claim("both");
    steps.record(TaskStepNames.CUTOVER_QUIET, "2026-01-01T00:00:00Z");
    steps.record(TaskStepNames.SEQUENCES, TaskStepNames.SEQUENCES_SET, "[]");
    assertThat(steps.quietSince()).isPresent();
    assertThat(parts.steps().read(task, TaskStepNames.SEQUENCES).orElseThrow().state())
        .isEqualTo(TaskStepNames.SEQUENCES_SET);
  }

  private void claim(String name) throws Exception {
    task = name;
    parts = TaskContext.of(TaskFolder.of(folder, task, server, server, "postgres", "app").config());
    parts.checkpoints().create();
    steps = new CutoverSteps(parts);
    steps.claim(parts.claim()::next);
  }

  /** Between two tries. */
  private static boolean isWaiting(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("sleep"));
  }
}
