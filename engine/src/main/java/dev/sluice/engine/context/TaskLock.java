package dev.sluice.engine.context;

import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a second daemon off a task's data directory: an exclusive lock of a file in it, which the
 * operating system frees when the process ends. The file says which process holds it. Daemons on
 * other machines are kept off by the epoch on the target.
 */
public final class TaskLock implements AutoCloseable {
  private static final String FILE = "lock";
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  /** Closing any other channel of a locked file would free the lock for the whole process. */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private TaskLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Takes the lock. Waits a moment for it: who looks whether a daemon runs holds it as well.
   *
   * @param dataDirectory made where it is missing
   * @throws SluiceException.Fatal where another process holds it, or the directory cannot be
   *     written
   */
  public static TaskLock take(String task, Path dataDirectory) {
    return take(task, dataDirectory, PATIENCE);
  }

  static TaskLock take(String task, Path dataDirectory, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    Optional<TaskLock> taken = tryTake(dataDirectory);
    while (taken.isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      taken = tryTake(dataDirectory);
    }
    return taken.orElseThrow(() -> new SluiceException.Fatal(held(task, dataDirectory)));
  }

  /** That another process holds the lock. */
  public static Problem held(String task, Path dataDirectory) {
    return new Problem(
        "task " + task,
        "already runs, in process " + holder(dataDirectory),
        "one daemon for each data-dir (" + dataDirectory + ")",
        "Stop that one first: sluice stop TASK.yaml");
  }

  public static Problem unusable(Path dataDirectory, String why) {
    return new Problem(
        "data-dir " + dataDirectory,
        "cannot be written: " + why,
        "a directory for the journal, swap and lock of the task",
        "Make it writable, or name another one");
  }

  /** Takes the lock where nobody holds it. */
  public static Optional<TaskLock> tryTake(Path dataDirectory) {
    try {
      PrivateDirectory.makeMissing(dataDirectory);
      Path directory = dataDirectory.toRealPath();
      if (!HELD_HERE.add(directory)) {
        return Optional.empty();
      }
      FileChannel channel =
          FileChannel.open(
              directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        channel.close();
        HELD_HERE.remove(directory);
        return Optional.empty();
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
      return Optional.of(new TaskLock(directory, channel));
    } catch (IOException e) {
      throw new SluiceException.Fatal(unusable(dataDirectory, e.toString()));
    }
  }

  /** Whether a process holds the lock of the directory at this moment. */
  public static boolean isHeld(Path dataDirectory) {
    if (!Files.exists(dataDirectory.resolve(FILE))) {
      return false;
    }
    Optional<TaskLock> taken = tryTake(dataDirectory);
    taken.ifPresent(TaskLock::close);
    return taken.isEmpty();
  }

  /** The process that holds it: this one. */
  public long pid() {
    return ProcessHandle.current().pid();
  }

  @Override
  public void close() {
    try {
      channel.close();
      HELD_HERE.remove(directory);
    } catch (IOException e) {
      throw new SluiceException.Fatal("the lock of the data-dir cannot be freed: " + e, e);
    }
  }

  private static String holder(Path dataDirectory) {
    try {
      String text = Files.readString(dataDirectory.resolve(FILE), StandardCharsets.US_ASCII).trim();
      return text.isEmpty() ? "(unknown)" : text;
    } catch (IOException e) {
      return "(unknown)";
    }
  }
}
