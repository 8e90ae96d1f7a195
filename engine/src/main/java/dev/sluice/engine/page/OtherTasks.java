package dev.sluice.engine.page;

import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.StatusServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks whose directories lie beside this one's. They are read from the files that their
 * daemons keep there anyway, so no daemon is asked, and none can keep this one waiting. A slow disk
 * keeps one thread waiting at most: the others get what was read before. Threadsafe.
 */
final class OtherTasks {
  private static final Logger LOG = LoggerFactory.getLogger(OtherTasks.class);

  static final int MOST = 100;

  /** A folder with more has other things in it, and is not searched as a whole. */
  private static final int MOST_ENTRIES = 10_000;

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final Path dataDirectory;
  private final Clock clock;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile List<OtherTask> known = List.of();

  /** Under the lock. */
  private Instant due = Instant.EPOCH;

  OtherTasks(Path dataDirectory, Clock clock) {
    this.dataDirectory = dataDirectory.toAbsolutePath().normalize();
    this.clock = clock;
  }

  /** By their names; at most a hundred. */
  List<OtherTask> all() {
    if (reading.tryLock()) {
      try {
        Instant now = clock.instant();
        if (!now.isBefore(due) || due.isAfter(now.plus(INTERVAL))) {
          known = read(now);
          due = clock.instant().plus(INTERVAL);
        }
      } finally {
        reading.unlock();
      }
    }
    return known;
  }

  private List<OtherTask> read(Instant now) {
    Path parent = dataDirectory.getParent();
    if (parent == null) {
      return List.of();
    }
    try (Stream<Path> beside = Files.list(parent)) {
      return beside
          .limit(MOST_ENTRIES)
          .filter(directory -> !directory.equals(dataDirectory) && Files.isDirectory(directory))
          .sorted()
          .map(directory -> task(directory, now))
          .flatMap(Optional::stream)
          .limit(MOST)
          .sorted(Comparator.comparing(OtherTask::task))
          .toList();
    } catch (IOException | RuntimeException e) {
      LOG.debug("the directories beside {} cannot be listed: {}", dataDirectory, e.toString());
      return List.of();
    }
  }

  /** Empty for a folder that is no task's, or that this user may not read. */
  private static Optional<OtherTask> task(Path directory, Instant now) {
    try {
      return LastState.ofOther(directory)
          .filter(last -> last.task() != null && last.at() != null)
          .filter(last -> last.next() != LastState.Next.REMOVED)
          .map(
              last ->
                  OtherTask.of(
                      last,
                      StatusServer.addressOf(directory).orElse(null),
                      StatusServer.externalOriginOf(directory).orElse(null),
                      now));
    } catch (RuntimeException e) {
      LOG.debug("{} cannot be read as a task's directory: {}", directory, e.toString());
      return Optional.empty();
    }
  }
}
