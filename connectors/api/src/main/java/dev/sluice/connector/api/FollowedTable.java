package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import java.util.Objects;

/**
 * A table of this database that a task replicates from here, by the records in the database.
 * Immutable.
 *
 * @param task the task, for messages
 * @param removal how to remove the task's objects from the database by hand if the task no longer
 *     exists
 */
public record FollowedTable(TableId table, String task, String removal) {
  public FollowedTable {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(removal, "removal");
  }
}
