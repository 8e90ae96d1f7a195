package dev.sluice.sink.control.task;

import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * What tells a task from others of its name, and where it has its things. Immutable.
 *
 * @param id never changes while the task lives
 * @param sourceSystem the identifier of the source's cluster, in decimal
 * @param sourceDatabase the source's database
 * @param slot the replication slot that is the task's own; empty where it has none
 * @param host on which the task's daemon was started last
 * @param dataDirectory of that daemon, with the journal where no cluster has it
 */
public record TaskIdentity(
    String task,
    UUID id,
    String sourceSystem,
    String sourceDatabase,
    Optional<String> slot,
    String host,
    String dataDirectory) {
  public TaskIdentity {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(sourceSystem, "sourceSystem");
    Objects.requireNonNull(sourceDatabase, "sourceDatabase");
    Objects.requireNonNull(slot, "slot");
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(dataDirectory, "dataDirectory");
  }
}
