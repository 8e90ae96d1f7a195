package dev.sluice.engine.context;

import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
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

/**
 * Exclusive lock of a task's data directory, so that only one daemon uses it. It is a lock on a
 * file, which the operating system frees when the process ends. The file contains the process id.
 * Daemons on other machines are excluded by the epoch on the target.
 */
public final class TaskLock implements AutoCloseable {
  private static final String FILE = "lock";
  private static final Duration TIMEOUT = Duration.ofMillis(500);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  /** Closing any other channel of a locked file would release the lock of the process. */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private TaskLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Takes the lock. Waits for it up to half a second: {@link #isHeld} takes it for a moment, too.
   *
   * @param dataDirectory created if it is missing
   * @throws SluiceException.Fatal if another process holds the lock, or the directory cannot be
   *     written
   */
  public static TaskLock take(String task, Path dataDirectory) {
    return take(task, dataDirectory, TIMEOUT);
  }

  static TaskLock take(String task, Path dataDirectory, Duration timeout) {
    return Polling.every(POLL_INTERVAL)
        .untilUninterrupted(timeout, () -> tryTake(dataDirectory), Optional::isPresent)
        .orElseThrow(() -> new SluiceException.Fatal(held(task, dataDirectory)));
  }

  /** The problem that another process holds the lock. */
  public static Problem held(String task, Path dataDirectory) {
    return new Problem(
        "task " + task,
        "already runs, in process " + holder(dataDirectory),
        "one daemon for each data-dir (" + dataDirectory + ")",
        "Stop that process first: sluice stop TASK.yaml");
  }

  public static Problem unusable(Path dataDirectory, String why) {
    return new Problem(
        "data-dir " + dataDirectory,
        "cannot be written: " + why,
        "a directory for the journal, swap and lock of the task",
        "Make it writable, or name another directory");
  }

  /** Takes the lock without waiting; empty if it is held. */
  public static Optional<TaskLock> tryTake(Path dataDirectory) {
    try {
      PrivateDirectory.makeMissing(dataDirectory);
      Path directory = dataDirectory.toRealPath();
      if (!HELD_HERE.add(directory)) {
        return Optional.empty();
      }
      Optional<TaskLock> taken = Optional.empty();
      try {
        taken = open(directory);
        return taken;
      } finally {
        if (taken.isEmpty()) {
          HELD_HERE.remove(directory);
        }
      }
    } catch (IOException e) {
      throw new SluiceException.Fatal(unusable(dataDirectory, e.toString()));
    }
  }

  private static Optional<TaskLock> open(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean taken = false;
    try {
      taken = channel.tryLock() != null;
      if (taken) {
        channel.truncate(0);
        channel.write(
            ByteBuffer.wrap(
                Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
      }
    } catch (IOException e) {
      taken = false;
      throw e;
    } finally {
      if (!taken) {
        channel.close();
      }
    }
    return taken ? Optional.of(new TaskLock(directory, channel)) : Optional.empty();
  }

  /** Whether a process holds the lock of the directory now. */
  public static boolean isHeld(Path dataDirectory) {
    if (!Files.exists(dataDirectory.resolve(FILE))) {
      return false;
    }
    Optional<TaskLock> taken = tryTake(dataDirectory);
    taken.ifPresent(TaskLock::close);
    return taken.isEmpty();
  }

  /** The id of the process that holds the lock: this one. */
  public long pid() {
    return ProcessHandle.current().pid();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new SluiceException.Fatal("the lock of the data-dir cannot be released: " + e, e);
    } finally {
      HELD_HERE.remove(directory);
    }
  }

  /** The id of the process that holds the lock of a directory, or held it last; for messages. */
  public static String holder(Path dataDirectory) {
    try {
      String text = Files.readString(dataDirectory.resolve(FILE), StandardCharsets.US_ASCII).trim();
      return text.isEmpty() ? "(unknown)" : text;
    } catch (IOException e) {
      return "(unknown)";
    }
  }
}
