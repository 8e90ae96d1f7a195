package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.Set;

/** Describes the source's published tables. Called only by the thread that decodes the log. */
public interface SourceTables {

  /**
   * The table of that name; empty if unknown.
   *
   * @param position log position of a change; the description is the one that was valid there
   */
  Optional<SourceTable> describe(TableId table, Position position);

  /**
   * The name of a type as {@code format_type} prints it; for a dropped type its placeholder.
   *
   * @param type its oid
   * @param modifier such as the length; -1 for none
   */
  String typeName(int type, int modifier);

  /**
   * A column as the catalog has it now, for a column of the log's rows that no report described.
   * Empty if the catalog has none of that name.
   */
  Optional<Column> inCatalog(TableId table, String column);

  /** All leaves of a partitioned table, published or not. */
  Set<TableId> leavesOf(TableId root, Position position);

  /** Whether changes of a published table are captured. */
  boolean isCaptured(TableId published);

  /** Whether the task may replicate a table of which no description is known. */
  boolean mayFollow(TableId unknown);

  /**
   * Whether updates of a table carry the complete old row, if the log has it.
   *
   * @param root the table under which the changes are journaled
   */
  default boolean wantsOldRows(TableId root) {
    return false;
  }

  /**
   * Decodes a report of the event triggers; empty if it is not for this task.
   *
   * @param relation oid of the table that has the report
   */
  Optional<Definition> definition(int relation, String report);
}
