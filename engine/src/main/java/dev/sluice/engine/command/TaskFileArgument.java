package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.config.task.TaskHome;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The argument with the task file. */
final class TaskFileArgument {
  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  @Option(
      names = "--fallback",
      description =
          "The task of the way back, by the file's section fallback, instead of the task itself.")
  private boolean back;

  /** Reads the whole file, of a task that replicates or of one that only compares. */
  TaskConfig read() {
    return back ? TaskFile.readFallback(file) : TaskFile.read(file);
  }

  /**
   * Reads the whole file of a task that moves rows.
   *
   * @throws SluiceException.Fatal if its settings say ValidationOnly
   */
  TaskConfig readReplicating() {
    TaskConfig config = read();
    if (config.taskSettings().get(ValidationSettings.VALIDATION_ONLY)) {
      throw new SluiceException.Fatal(onlyCompares(config.home()));
    }
    return config;
  }

  /**
   * Reads only what a request to the daemon needs; no password of a database is required.
   *
   * @throws SluiceException.Fatal if its settings say ValidationOnly: such a task has no daemon
   */
  TaskHome readHome() {
    TaskHome home = readAnyHome();
    if (isValidationOnly()) {
      throw new SluiceException.Fatal(onlyCompares(home));
    }
    return home;
  }

  /** The same, also of a task that only compares. */
  TaskHome readAnyHome() {
    return back ? TaskFile.readFallbackHome(file) : TaskFile.readHome(file);
  }

  /** Whether the task's settings say ValidationOnly, as far as they can be read. */
  boolean isValidationOnly() {
    return TaskFile.isValidationOnly(file);
  }

  private static Problem onlyCompares(TaskHome home) {
    return new Problem(
        "task " + home.task(),
        "its settings say ValidationOnly: it compares, and moves nothing",
        "the file of a task that replicates",
        "Name the task that replicates these tables. To compare, run sluice run with this file");
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
