package dev.sluice.engine.task;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TaskConfig;
import dev.sluice.connector.debezium.Journal;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.sink.checkpoint.TaskStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what a task made outside its target tables: slot, event triggers, publication, journal
 * and control rows. Can be repeated. Used by one thread, which holds the task's lock.
 */
public final class TaskRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(TaskRemoval.class);

  private final TaskParts parts;
  private final List<String> removed = new ArrayList<>();

  private TaskRemoval(TaskParts parts) {
    this.parts = parts;
  }

  public static TaskRemoval of(TaskConfig config) {
    return new TaskRemoval(TaskParts.of(config));
  }

  static TaskRemoval of(TaskParts parts) {
    return new TaskRemoval(parts);
  }

  /**
   * Removes everything; a part that fails does not keep the others.
   *
   * @param held the task's lock: no daemon works with what is removed
   * @return a line for each part
   * @throws SluiceException the first failure, with the others suppressed
   */
  public List<String> remove(TaskLock held) {
    LOG.info("process {} removes task {}", held.pid(), parts.task());
    List<SluiceException> failures = new ArrayList<>();
    attempt(failures, "replication slot", () -> parts.source().slot().drop());
    attempt(failures, "event triggers", () -> parts.source().definitionTrigger().remove());
    attempt(failures, "publication", () -> parts.source().publication().drop());
    attempt(failures, "control rows on the target", this::dropControlRows);
    attempt(failures, "journal", this::dropJournal);
    if (!failures.isEmpty()) {
      SluiceException first = failures.remove(0);
      failures.forEach(first::addSuppressed);
      throw first;
    }
    return removed;
  }

  private void attempt(List<SluiceException> failures, String what, Runnable removal) {
    try {
      removal.run();
      removed.add("removed: " + what);
      LOG.info("removed: {}", what);
    } catch (SluiceException e) {
      LOG.error("not removed: {}: {}", what, e.getMessage());
      failures.add(e);
    }
  }

  /** That the target was cut over stays, in a schema that no removal touches. */
  private void dropControlRows() {
    List<TaskStep> steps = parts.steps().all(parts.task());
    if (StartPlan.isQuiet(steps)) {
      parts
          .cutOverTables()
          .record(
              parts.task(),
              FollowedTables.of(steps).begunWith().stream()
                  .map(parts.config().tableMappings()::targetOf)
                  .toList(),
              Instant.now());
    }
    parts.checkpoints().drop(parts.task());
  }

  private void dropJournal() {
    if (parts.config().kafka().isPresent()) {
      JournalBroker cluster = JournalBroker.open(parts.config().kafka(), parts.config().dataDir());
      try (Journal journal = new Journal(cluster.client(), parts.topics())) {
        journal.drop();
      }
    } else {
      deleteTree(JournalBroker.directory(parts.config().dataDir()));
    }
  }

  private static void deleteTree(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "the journal in " + directory + " cannot be deleted: " + e, e);
    }
  }
}
