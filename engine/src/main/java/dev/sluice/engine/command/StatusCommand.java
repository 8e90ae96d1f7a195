package dev.sluice.engine.command;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.command.display.LastStateText;
import dev.sluice.engine.command.display.LoadWatch;
import dev.sluice.engine.command.display.StatusText;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.StatusJson;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    description =
        "Shows the state of a running task. If no daemon runs, shows the last daemon's final state"
            + " and returns 1.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  @Mixin private TaskFileArgument file;

  @Option(names = "--json", description = "Print the whole status as JSON.")
  private boolean json;

  @Option(
      names = "--watch",
      description =
          "First shows the full load until it is done: on a terminal as bars with rows, rate and"
              + " time left, elsewhere as a line every 5 seconds.")
  private boolean watch;

  @Override
  public Integer call() throws InterruptedException {
    TaskHome home = file.readAnyHome();
    DaemonClient client = new DaemonClient(home);
    if (file.isValidationOnly() && !client.isRunning()) {
      System.out.println(
          "task %s only compares, and does not run: sluice run compares both sides once"
              .formatted(home.task()));
      return ExitCode.FAILED;
    }
    Optional<LastState> last =
        client.isRunning() ? Optional.empty() : LastState.read(home.dataDir());
    if (last.isPresent()) {
      System.out.println(json ? StatusJson.write(last.get()) : LastStateText.of(home, last.get()));
      return ExitCode.FAILED;
    }
    DaemonClient.Page page;
    try {
      page = client.status();
    } catch (SluiceException.Retryable e) {
      if (!file.isValidationOnly()) {
        throw e;
      }
      System.out.println(ValidationOnlyRun.comparing(home).found());
      return ExitCode.DONE;
    }
    if (watch) {
      LoadWatch load = new LoadWatch(ProgressScreen.onStandardOutput());
      while (load.show(Instant.now(), page.status())) {
        Thread.sleep(INTERVAL.toMillis());
        try {
          page = client.status();
        } catch (SluiceException e) {
          if (client.isRunning()) {
            throw e;
          }
          System.out.println("the daemon has ended; its last phase was " + load.phase());
          return load.isDone() ? ExitCode.DONE : ExitCode.FAILED;
        }
      }
    }
    System.out.println(json ? page.json() : new StatusText(page.status()).text());
    return ExitCode.DONE;
  }
}
