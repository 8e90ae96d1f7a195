package dev.sluice.config.task;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;

/**
 * The files that a task was read from, so that they can be read again. Immutable, threadsafe; shows
 * no secret.
 */
public final class TaskFiles {
  private final Path taskFile;
  private final List<Path> all;
  private final Map<String, String> environment;

  TaskFiles(Path taskFile, List<Path> all, Map<String, String> environment) {
    this.taskFile = taskFile;
    this.all = List.copyOf(all);
    this.environment = environment;
  }

  /**
   * Reads them as they are now.
   *
   * @throws SluiceException.Fatal with every problem of all files
   */
  public TaskConfig readAgain() {
    return TaskFile.read(taskFile, environment);
  }

  /** Time and size of each file: while this stays the same, nobody has edited one. */
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

  /** Where task settings are written. */
  @Override
  public String toString() {
    return taskFile.toString();
  }
}
