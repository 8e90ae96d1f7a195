package dev.sluice.sink.control.task;

import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * The identity of a task, which distinguishes tasks of the same name, and its location. Immutable.
 *
 * @param id unique id, constant while the task exists
 * @param sourceSystem the identifier of the source's cluster, in decimal
 * @param sourceDatabase the source's database
 * @param slot the task's own replication slot; empty if it has none
 * @param host host on which the task's daemon was started last
 * @param dataDirectory data directory of that daemon; it contains the journal of an embedded broker
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
