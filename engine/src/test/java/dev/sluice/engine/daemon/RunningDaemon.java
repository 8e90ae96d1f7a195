package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.RarerPolls;
import dev.sluice.engine.status.SettingsStatus;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * A daemon on a thread of its own; closing it stops it and expects a clean end.
 *
 * @param daemon its commands
 * @param errors takes what has ended a thread of the process
 */
public record RunningDaemon(
    TaskControl daemon, BiConsumer<Thread, Throwable> errors, CompletableFuture<Void> end)
    implements AutoCloseable {
  /** Long, since only a failure reaches it: six processes of tests share two processors. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  public static RunningDaemon start(TaskConfig config) {
    TaskDaemon daemon = new TaskDaemon(config);
    return new RunningDaemon(
        daemon.commands(),
        daemon::threadEnded,
        CompletableFuture.runAsync(daemon::run, work -> new Thread(work, "daemon").start()));
  }

  /**
   * Started, and in the phase in which changes are applied; one that does not get there is ended.
   */
  public static RunningDaemon replicating(TaskConfig config) {
    RunningDaemon running = start(config);
    try {
      running.awaitPhase("replicating");
      return running;
    } catch (RuntimeException | Error e) {
      running.daemon.stop(false);
      throw e;
    }
  }

  public String phase() {
    return daemon.status().phase();
  }

  SettingsStatus.Setting setting(String name) {
    return daemon.status().settings().inEffect().get("ChangeProcessingTuning." + name);
  }

  public void awaitPhase(String phase) {
    await(phase)
        .atMost(PATIENCE)
        .pollInterval(RarerPolls.OF_A_STATUS)
        .until(
            () -> {
              if (end.isCompletedExceptionally()) {
                end.join();
              }
              return phase().equals(phase);
            });
  }

  /** Until all is applied that was committed before; a daemon that fails meanwhile says why. */
  public void awaitApplied() {
    await("applied")
        .atMost(PATIENCE)
        .until(
            () -> {
              if (end.isCompletedExceptionally()) {
                end.join();
              }
              return daemon.fence(Duration.ofSeconds(5)).success();
            });
  }

  /** Until a table is suspended. */
  void awaitSuspended() {
    await("a table is suspended")
        .atMost(PATIENCE)
        .until(() -> !daemon.status().suspended().isEmpty());
  }

  /** Loads a suspended table again, until none is suspended. */
  void reload(TableId table) throws InterruptedException {
    assertThat(daemon.reload(List.of(table)).success()).isTrue();
    await("the table is loaded again")
        .atMost(PATIENCE)
        .until(() -> daemon.status().suspended().isEmpty());
  }

  /** Until what was committed before is applied or rejected, for a minute at most. */
  void passFence() {
    try {
      daemon.fence(Duration.ofMinutes(1), false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cuts over, and joins the cutover again for as long as it is not decided. */
  public Outcome cutover(Duration patience) throws InterruptedException {
    Outcome outcome = daemon.cutover(patience);
    while (outcome.ending() == Ending.UNDECIDED) {
      outcome = daemon.cutover(patience);
    }
    return outcome;
  }

  public void awaitEnd() {
    end.copy().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    if (end.isCompletedExceptionally()) {
      return; // Whoever waited for it has been told.
    }
    daemon.stop(false);
    awaitEnd();
  }
}
