package dev.sluice.engine.command;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskHome;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.daemon.TaskRemoval;
import dev.sluice.engine.daemon.ValidationOnlyTask;
import dev.sluice.engine.fallback.FallbackGate;
import dev.sluice.engine.fallback.ForwardTask;
import dev.sluice.engine.fallback.NoWayBack;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.TaskStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "stop",
    description = "Ends a task's daemon with a checkpoint, and waits until it has ended.",
    mixinStandardHelpOptions = true)
final class StopCommand implements Callable<Integer> {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  @Mixin private TaskFileArgument file;

  @Option(
      names = "--drop",
      description =
          "Also remove what the task created: on the source (PostgreSQL: slot, publication, event"
              + " triggers), the journal and the control rows; with or without a running daemon.")
  private boolean drop;

  @Option(
      names = "--source-gone",
      description =
          "With --drop and without a running daemon: the source no longer exists. Nothing is"
              + " removed there. If the source does exist, it then keeps its log for ever.")
  private boolean sourceGone;

  @Option(
      names = "--reopen-source",
      description =
          "With --drop: open the source's tables for writes again, which a cutover has closed. What"
              + " was written to the target since then is not on the source. Needs --yes.")
  private boolean reopen;

  @Option(
      names = "--yes",
      description = "Confirms --reopen-source: no application writes to the target any more.")
  private boolean agreed;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "How long to wait for the daemon's end (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws InterruptedException {
    requireAgreed();
    requireNoWayBack();
    TaskHome home = file.readAnyHome();
    Optional<TaskLock> free = TaskLock.tryTake(home.dataDir());
    if (free.isPresent()) {
      try (TaskLock lock = free.get()) {
        return withoutDaemon(home, lock);
      }
    }
    DaemonClient client = new DaemonClient(home);
    TaskStatus daemon = runningDaemon(client, home);
    client.post("/stop", "drop=" + drop, ANSWER);
    boolean stopped =
        Polling.every(POLL_INTERVAL)
            .until(
                Duration.ofMillis(Math.round(seconds * 1000)),
                () -> !TaskLock.isHeld(home.dataDir()));
    if (!stopped) {
      throw new SluiceException.Retryable(
          "the daemon of task %s still runs %.0f s after the request to stop; its log says why"
              .formatted(home.task(), seconds),
          null);
    }
    requireCleanEnd(home, daemon);
    System.out.println("task " + home.task() + " has stopped" + (drop ? " and is removed" : ""));
    reopenSource();
    return ExitCode.DONE;
  }

  private void requireAgreed() {
    if (reopen && (!drop || sourceGone)) {
      throw new SluiceException.Fatal(
          new Problem(
              "--reopen-source",
              "is for a task that is removed, with a source that is there",
              "sluice stop --drop --reopen-source --yes",
              "Add --drop, and leave --source-gone out"));
    }
    if (reopen && !agreed) {
      throw new SluiceException.Fatal(
          new Problem(
              "--reopen-source",
              "lets applications write to the source again, which lacks all that was written to the"
                  + " target since the cutover",
              "--yes, from somebody who knows that no application uses the target",
              "Nothing is changed. Compare both sides first; then add --yes"));
    }
  }

  private void requireNoWayBack() {
    if (reopen) {
      noWayBack(TaskContext.of(file.read())).close();
    }
  }

  /** Both sides are asked; only the old source has to answer. */
  private static NoWayBack noWayBack(TaskContext context) {
    NoWayBack none = NoWayBack.require(context);
    try {
      FallbackGate.requireNoneRuns(context);
    } catch (SluiceException.Retryable e) {
      // The target may be lost for good.
      System.err.println(
          "sluice: the target does not say whether a way back is to begin: " + e.getMessage());
    } catch (RuntimeException e) {
      none.close();
      throw e;
    }
    return none;
  }

  private void reopenSource() {
    if (reopen) {
      TaskContext context = TaskContext.of(file.read());
      // Again: a cutover may have been decided since.
      NoWayBack none = noWayBack(context);
      try {
        reopenSource(context);
      } finally {
        none.close();
      }
    }
  }

  private static void reopenSource(TaskContext context) {
    List<TableId> made =
        context.config().fallback().isPresent()
            ? ForwardTask.openMade(context.config(), context.ownCutovers())
            : List.of();
    WriterStop.Reopened done =
        context
            .source()
            .writers()
            .map(writers -> writers.reopen(context.ownCutovers()))
            .orElseGet(() -> new WriterStop.Reopened(List.of(), List.of()));
    System.out.println(
        done.opened().isEmpty() && made.isEmpty()
            ? "none: tables of the source that this task has closed"
            : "the source's tables take writes again: "
                + Stream.of(made, done.opened()).flatMap(List::stream).toList());
    if (!done.left().isEmpty()) {
      System.out.println("kept closed, by cutovers of other tasks: " + done.left());
    }
  }

  private TaskStatus runningDaemon(DaemonClient client, TaskHome home) {
    try {
      return client.status().status();
    } catch (SluiceException.Retryable e) {
      throw file.isValidationOnly()
          ? new SluiceException.Fatal(ValidationOnlyRun.comparing(home))
          : e;
    }
  }

  /**
   * The last steps of a daemon fail if a server does not answer: its checkpoint, its removal. What
   * an earlier daemon has recorded says nothing of this one.
   */
  private void requireCleanEnd(TaskHome home, TaskStatus daemon) {
    Optional<LastState> last = LastState.read(home.dataDir()).filter(state -> state.isOf(daemon));
    String phase = last.map(LastState::phase).orElse("");
    if (!phase.equals(Phase.STOPPED.text())) {
      throw new SluiceException.Retryable(
          "task %s has stopped, but %s: %s. %s"
              .formatted(
                  home.task(),
                  drop ? "is not removed" : "not cleanly",
                  phase.equals(Phase.FAILED.text())
                      ? last.get().reason()
                      : "its daemon was killed, or could not write its last state",
                  drop
                      ? "Run sluice stop --drop again"
                      : "Nothing is lost: the next start continues from the last checkpoint"),
          null);
    }
  }

  private int withoutDaemon(TaskHome home, TaskLock lock) {
    if (!drop) {
      System.out.println("task " + home.task() + " does not run");
      return ExitCode.DONE;
    }
    TaskConfig config = file.read();
    if (ValidationOnlyRun.isWantedBy(config)) {
      ValidationOnlyTask.of(config).remove(lock).forEach(System.out::println);
      return ExitCode.DONE;
    }
    TaskRemoval removal = TaskRemoval.of(config);
    try {
      List<String> removed =
          sourceGone ? removal.removeWithoutSource(lock) : removal.remove(lock, reopen);
      removed.forEach(System.out::println);
    } catch (SluiceException.Retryable e) {
      // The target may be lost for good: that must not keep the source closed.
      reopenSource();
      throw e;
    }
    reopenSource();
    return ExitCode.DONE;
  }
}
