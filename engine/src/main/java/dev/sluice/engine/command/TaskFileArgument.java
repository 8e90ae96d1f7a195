package dev.sluice.engine.command;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.config.task.TaskHome;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The task file that every command but the demo takes. */
final class TaskFileArgument {
  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  TaskConfig read() {
    return TaskFile.read(file);
  }

  /** For commands that only speak with the daemon: needs no password of the databases. */
  TaskHome readHome() {
    return TaskFile.readHome(file);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
