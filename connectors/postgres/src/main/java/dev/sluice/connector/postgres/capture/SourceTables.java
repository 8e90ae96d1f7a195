package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.Set;

/** Describes the source's published tables. Asked by the thread that decodes the log only. */
public interface SourceTables {

  /**
   * The table of that name; empty where it is not known.
   *
   * @param place of the change that was made under the description wanted, in the log
   */
  Optional<SourceTable> describe(TableId table, Position place);

  /**
   * Prints a type as the catalog's descriptions do; what is left of it where it was dropped.
   *
   * @param type its object id
   * @param modifier such as the length; -1 for none
   */
  String typeName(int type, int modifier);

  /**
   * A column as the catalog has it now: for one that the rows have, and that nothing has told of.
   * Empty where the catalog has none of that name.
   */
  Optional<Column> inCatalog(TableId table, String column);

  /** All leaves of a partitioned table, published or not. */
  Set<TableId> leavesOf(TableId root, Position place);

  /** Whether the changes of a table that is not known can be for this task. */
  boolean mayFollow(TableId unknown);

  /**
   * Whether somebody asks for what rows were before their updates, where the log has that.
   *
   * @param root the table under which the changes are journaled
   */
  default boolean wantsOldRows(TableId root) {
    return false;
  }

  /**
   * What a report of the event triggers says; empty where it is not for this task.
   *
   * @param relation the number of the table that the report is a row of
   */
  Optional<Definition> definition(int relation, String report);
}
