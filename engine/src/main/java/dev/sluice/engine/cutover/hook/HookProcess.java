package dev.sluice.engine.cutover.hook;

import dev.sluice.config.retry.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs a command of the user with a timeout, after which it and all processes that it started are
 * killed. Stateless.
 */
final class HookProcess {

  /** What a command gets of the daemon's environment. All else may be secret. */
  static final List<String> INHERITED =
      List.of(
          "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR");

  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration LAST_OUTPUT = Duration.ofMillis(500);

  private HookProcess() {}

  /**
   * Runs a command to its end.
   *
   * @param variables its environment, beside {@link #INHERITED}
   * @return the end of its output
   * @throws HookFailure if it cannot be started, fails, or takes too long
   */
  static List<String> run(
      List<String> command, Path folder, Map<String, String> variables, Duration timeout)
      throws HookFailure, InterruptedException {
    StartedProcesses started = new StartedProcesses();
    Process process = start(command, folder, variables, started);
    OutputTail output = OutputTail.of(process.getInputStream());
    boolean ended;
    try {
      ended =
          Polling.every(POLL_INTERVAL)
              .until(
                  timeout,
                  () -> {
                    started.look();
                    return !process.isAlive();
                  });
    } catch (InterruptedException e) {
      started.kill();
      throw e;
    }
    if (!ended) {
      started.kill();
      throw new HookFailure(
          "killed after its timeout of " + timeout.toMillis() + " ms",
          "an end within the timeout",
          "Find out what it waits for, or raise the hook's timeout",
          output.lines(LAST_OUTPUT));
    }
    int code = process.exitValue();
    List<String> lines = output.lines(LAST_OUTPUT);
    if (code != 0) {
      throw new HookFailure(
          "exit code " + code,
          "exit code 0",
          "Read its output, and correct the command " + command.get(0),
          lines);
    }
    return lines;
  }

  private static Process start(
      List<String> command, Path folder, Map<String, String> variables, StartedProcesses started)
      throws HookFailure {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().keySet().retainAll(INHERITED);
    builder.environment().putAll(variables);
    started.mark(builder.environment());
    try {
      Process process = builder.start();
      started.started(process);
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new HookFailure(
          "the command " + command.get(0) + " cannot be started: " + e.getMessage(),
          "an executable file",
          "Correct its name or its permissions",
          List.of());
    }
  }
}
