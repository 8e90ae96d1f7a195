package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.context.DataDirectoryVersion;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.StatusServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks whether a daemon can start on this machine: data directory, lock and port. Changes
 * nothing. Stateless.
 */
public final class MachineChecks {
  private MachineChecks() {}

  /** All problems at once. */
  public static List<Problem> problems(TaskConfig config) {
    Path directory = config.dataDir();
    Optional<Problem> unusable = unusable(directory);
    if (unusable.isPresent()) {
      return Stream.concat(unusable.stream(), StatusServer.problem(config.http()).stream())
          .toList();
    }
    try {
      // If the lock is held, the port is in use by that daemon.
      return TaskLock.isHeld(directory)
          ? List.of(TaskLock.held(config.task().text(), directory))
          : Stream.concat(
                  DataDirectoryVersion.problem(directory).stream(),
                  StatusServer.problem(config.http()).stream())
              .toList();
    } catch (SluiceException.Fatal e) {
      return e.problems();
    }
  }

  /** The problems of the data directory alone, of a task that opens no port. */
  public static List<Problem> ofDirectory(TaskConfig config) {
    Optional<Problem> unusable = unusable(config.dataDir());
    if (unusable.isPresent()) {
      return List.of(unusable.get());
    }
    return TaskLock.isHeld(config.dataDir())
        ? List.of(TaskLock.held(config.task().text(), config.dataDir()))
        : List.of();
  }

  private static Optional<Problem> unusable(Path directory) {
    Path there = directory.toAbsolutePath().normalize();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null) {
      return Optional.of(TaskLock.unusable(directory, "no directory above it exists"));
    }
    if (!Files.isDirectory(there)) {
      return Optional.of(TaskLock.unusable(directory, there + " is not a directory"));
    }
    return Files.isWritable(there) && Files.isExecutable(there)
        ? Optional.empty()
        : Optional.of(TaskLock.unusable(directory, "this user may not write to " + there));
  }
}
