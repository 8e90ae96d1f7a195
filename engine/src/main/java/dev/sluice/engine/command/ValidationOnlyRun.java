package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.daemon.ValidationOnlyTask;
import dev.sluice.engine.validate.only.OnlyResult;

/** A task with ValidationOnly, as commands see it: it runs to its end, without a daemon. */
final class ValidationOnlyRun {
  private ValidationOnlyRun() {}

  static boolean isWantedBy(TaskConfig config) {
    return config.taskSettings().get(ValidationSettings.VALIDATION_ONLY);
  }

  /** Compares once, prints a line for each table, and returns the exit code. */
  static int run(TaskConfig config) throws InterruptedException {
    OnlyResult result = ValidationOnlyTask.of(config).run();
    result.lines().forEach(System.out::println);
    if (result.verdict() != OnlyResult.Verdict.EQUAL) {
      System.out.printf(
          "rows that differ are listed in sluice_validation_failures_v2 in schema %s of the target,"
              + " with task_name %s%n",
          config.taskSettings().controlSchema(), config.task());
    }
    return exitCode(result);
  }

  /** The exit code of a comparison of both sides as they are. */
  static int exitCode(OnlyResult result) {
    return switch (result.verdict()) {
      case EQUAL -> ExitCode.DONE;
      case NOT_EQUAL -> ExitCode.FAILED;
      case NOT_PROVEN -> ExitCode.NOT_COMPARABLE;
    };
  }

  /** Why a command cannot reach the process of a comparison. */
  static Problem comparing(TaskHome home) {
    return new Problem(
        "task " + home.task(),
        "it compares now, in process " + TaskLock.holder(home.dataDir()),
        "a comparison that has ended",
        "Wait for its end, or end that process (Ctrl-C): it moves nothing, so nothing is lost");
  }
}
