package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.command.display.LastStateText;
import dev.sluice.engine.command.display.StatusText;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.StatusJson;
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
  @Mixin private TaskFileArgument file;

  @Option(names = "--json", description = "Print the whole status as JSON.")
  private boolean json;

  @Option(
      names = "--watch",
      description =
          "Shows the full load, then state, lag, rates, and the waiting changes with the time they"
              + " will take. A terminal is redrawn; elsewhere a line is printed every 5 seconds. Ends"
              + " with Ctrl-C, or when the daemon ends, and then says why it ended. Returns 0 if the"
              + " daemon stopped, 1 if it failed or was killed.")
  private boolean watch;

  @Override
  public Integer call() throws InterruptedException {
    if (watch && json) {
      throw new SluiceException.Fatal(
          new Problem(
              "--json",
              "with --watch, which shows one state after the other",
              "one of them",
              "Leave one of them out; a program reads /status of the daemon again and again"));
    }
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
      return new StatusWatch(home, client, ProgressScreen.onStandardOutput()).follow(page.status());
    }
    System.out.println(json ? page.json() : new StatusText(page.status()).text());
    return ExitCode.DONE;
  }
}
