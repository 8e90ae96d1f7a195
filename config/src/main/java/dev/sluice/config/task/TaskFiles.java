package dev.sluice.config.task;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;

/**
 * The files of a task's configuration, for reading them again after an edit. Immutable, threadsafe;
 * prints no secret.
 */
public final class TaskFiles {
  private final Path taskFile;
  private final List<Path> all;
  private final Map<String, String> environment;
  private final boolean back;

  TaskFiles(Path taskFile, List<Path> all, Map<String, String> environment) {
    this(taskFile, all, environment, false);
  }

  private TaskFiles(Path taskFile, List<Path> all, Map<String, String> environment, boolean back) {
    this.taskFile = taskFile;
    this.all = List.copyOf(all);
    this.environment = environment;
    this.back = back;
  }

  /** The same files, read as the task of the way back. */
  TaskFiles reversed() {
    return new TaskFiles(taskFile, all, environment, true);
  }

  /**
   * Reads the files as they are now.
   *
   * @throws SluiceException.Fatal with all problems of all files
   */
  public TaskConfig readAgain() {
    return back
        ? TaskFile.readFallback(taskFile, environment)
        : TaskFile.read(taskFile, environment);
  }

  /**
   * Modification time, size and key of each file. As long as the stamp is equal, no file was
   * edited.
   */
  public String stamp() {
    StringBuilder stamp = new StringBuilder();
    for (Path file : all) {
      stamp.append(file).append(' ');
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        stamp
            .append(attributes.lastModifiedTime())
            .append(' ')
            .append(attributes.size())
            .append(' ')
            .append(attributes.fileKey());
      } catch (IOException e) {
        stamp.append("missing");
      }
      stamp.append('\n');
    }
    return stamp.toString();
  }

  /** The path of the task file. */
  @Override
  public String toString() {
    return taskFile.toString();
  }
}
