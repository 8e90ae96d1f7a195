package dev.sluice.engine.command;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.config.task.TaskHome;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The argument with the task file. */
final class TaskFileArgument {
  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  TaskConfig read() {
    return TaskFile.read(file);
  }

  /** Reads only what a request to the daemon needs; no password of a database is required. */
  TaskHome readHome() {
    return TaskFile.readHome(file);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
