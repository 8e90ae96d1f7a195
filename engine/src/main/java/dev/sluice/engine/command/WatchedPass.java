package dev.sluice.engine.command;

import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.TaskControl.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request for which the daemon reads tables, with a progress bar until it answers. */
final class WatchedPass {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** A pass over large tables takes hours. */
  private static final Duration ANSWER = Duration.ofDays(7);

  private WatchedPass() {}

  /** Posts the request, waits for the daemon, and shows its progress meanwhile. */
  static DaemonClient.Answer post(DaemonClient daemon, String path, String query)
      throws InterruptedException {
    CompletableFuture<DaemonClient.Answer> answer =
        CompletableFuture.supplyAsync(
            () -> daemon.post(path, query, ANSWER), work -> new Thread(work, "request").start());
    ValidationWatch watch = new ValidationWatch(ProgressScreen.onStandardOutput());
    while (true) {
      try {
        return answer.get(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        watch.show(Instant.now(), daemon);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException failure
            ? failure
            : new IllegalStateException(e);
      }
    }
  }

  /** The exit code that says how the pass has ended. */
  static int exitCode(DaemonClient.Answer answer) {
    if (answer.success()) {
      return ExitCode.DONE;
    }
    return answer.outcome().ending() == Ending.UNDECIDED
        ? ExitCode.NOT_COMPARABLE
        : ExitCode.FAILED;
  }
}
