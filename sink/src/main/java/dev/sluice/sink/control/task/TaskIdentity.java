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
 * @param retention the name of what makes the source keep its log for this task, on PostgreSQL a
 *     replication slot; empty if nothing does
 * @param host host on which the task's daemon was started last
 * @param dataDirectory data directory of that daemon; it contains the journal of an embedded broker
 */
public record TaskIdentity(
    String task,
    UUID id,
    String sourceSystem,
    String sourceDatabase,
    Optional<String> retention,
    String host,
    String dataDirectory) {
  public TaskIdentity {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(sourceSystem, "sourceSystem");
    Objects.requireNonNull(sourceDatabase, "sourceDatabase");
    Objects.requireNonNull(retention, "retention");
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(dataDirectory, "dataDirectory");
  }
}
