package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.task.TaskIdentities;
import dev.sluice.sink.control.task.TaskIdentity;
import java.util.Optional;
import java.util.UUID;

/**
 * The identity of a task: an id recorded on its target. It distinguishes the task from others of
 * the same name with another target or source. Threadsafe.
 */
public final class TaskOwnership {
  private final TaskConfig config;
  private final TaskIdentities identities;

  /** The id of a task that has not started yet. */
  private final UUID proposed = UUID.randomUUID();

  private volatile TaskIdentity known;
  private volatile boolean asked;

  TaskOwnership(TaskConfig config, TaskIdentities identities) {
    this.config = config;
    this.identities = identities;
  }

  /**
   * The mark that this task puts on what it creates, so that other tasks leave it alone.
   *
   * @throws SluiceException if the identity is not known yet and the target cannot be read
   */
  public TaskMark mark() {
    if (!asked) {
      read();
    }
    TaskIdentity now = known;
    return new TaskMark(
        config.task().text(),
        now == null ? proposed : now.id(),
        "schema %s of %s".formatted(config.taskSettings().controlSchema(), config.target()));
  }

  /** Reads the identity from the target; empty if the task never started there. */
  public Optional<TaskIdentity> read() {
    asked = true;
    Optional<TaskIdentity> found = identities.read(config.task().text());
    found.ifPresent(identity -> known = identity);
    return found;
  }

  /** Reads the identity, or records a new one if the task starts for the first time. */
  public TaskIdentity begin(Source source) {
    Optional<TaskIdentity> found = read();
    TaskIdentity identity =
        found.isPresent() ? found.get() : identities.keep(here(source.identity()));
    known = identity;
    return identity;
  }

  private TaskIdentity here(SourceIdentity source) {
    return new TaskIdentity(
        config.task().text(),
        proposed,
        source.system(),
        config.source().endpoint().database(),
        Optional.empty(),
        HostName.text(),
        directory());
  }

  /** The absolute path of this daemon's data directory. */
  public String directory() {
    return config.dataDir().toAbsolutePath().normalize().toString();
  }

  /** The problem that a started task is given another source; empty if it is the same one. */
  public Optional<Problem> otherSource(TaskIdentity begun, SourceIdentity now) {
    String system = now.system();
    String database = config.source().endpoint().database();
    if (begun.sourceSystem().equals(system) && begun.sourceDatabase().equals(database)) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            "source " + config.source().endpoint(),
            "it is database %s of system %s".formatted(database, system),
            "database %s of system %s, which task %s follows"
                .formatted(begun.sourceDatabase(), begun.sourceSystem(), begun.task()),
            "Name that source again. If this file is a copy of that task's, give the copy another"
                + " name: task. If task %s is to end, run sluice stop --drop with that source in the"
                    .formatted(begun.task())
                + " file; with --source-gone if that source was replaced or no longer exists"));
  }
}
