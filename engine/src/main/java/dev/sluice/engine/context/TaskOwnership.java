package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.server.SourceIdentity;
import dev.sluice.connector.postgres.server.TaskMark;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.task.TaskIdentities;
import dev.sluice.sink.control.task.TaskIdentity;
import java.util.Optional;
import java.util.UUID;

/**
 * Which task this is: what its target remembers tells it from others of its name, on other targets
 * and with other sources. Threadsafe.
 */
public final class TaskOwnership {
  private final TaskConfig config;
  private final TaskIdentities identities;

  /** Of a task that is not begun. */
  private final UUID proposed = UUID.randomUUID();

  private volatile TaskIdentity known;
  private volatile boolean asked;

  TaskOwnership(TaskConfig config, TaskIdentities identities) {
    this.config = config;
    this.identities = identities;
  }

  /**
   * By what others know the things of this task.
   *
   * @throws SluiceException where the target was never asked before, and cannot be
   */
  public TaskMark mark() {
    if (!asked) {
      look();
    }
    TaskIdentity now = known;
    return new TaskMark(
        config.task().text(),
        now == null ? proposed : now.id(),
        "schema %s of %s"
            .formatted(
                config.taskSettings().controlTablesSettings().controlSchema(), config.target()));
  }

  /** What the target remembers; empty where the task was never begun there. */
  public Optional<TaskIdentity> look() {
    asked = true;
    Optional<TaskIdentity> found = identities.read(config.task().text());
    found.ifPresent(identity -> known = identity);
    return found;
  }

  /** The same of a task that begins, or goes on. */
  public TaskIdentity begin(PostgresSource source) {
    Optional<TaskIdentity> found = look();
    TaskIdentity identity =
        found.isPresent() ? found.get() : identities.keep(here(source.identity()));
    known = identity;
    return identity;
  }

  private TaskIdentity here(SourceIdentity source) {
    return new TaskIdentity(
        config.task().text(),
        proposed,
        Long.toUnsignedString(source.systemIdentifier()),
        config.source().endpoint().database(),
        Optional.empty(),
        HostName.text(),
        directory());
  }

  /** Of this daemon. */
  public String directory() {
    return config.dataDir().toAbsolutePath().normalize().toString();
  }

  /** Why a begun task cannot have this source. */
  public Optional<Problem> otherSource(TaskIdentity begun, SourceIdentity now) {
    String system = Long.toUnsignedString(now.systemIdentifier());
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
            "Name that source again; for another one, give this task file another name: task"));
  }
}
