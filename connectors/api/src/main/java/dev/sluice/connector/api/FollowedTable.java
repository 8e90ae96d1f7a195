package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import java.util.Objects;

/**
 * A table that is part of the source of a task, as the database says that has it. Immutable.
 *
 * @param task in words
 * @param removal how the task is taken out of the database by hand, where it is gone for good
 */
public record FollowedTable(TableId table, String task, String removal) {
  public FollowedTable {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(removal, "removal");
  }
}
