package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * Finds rows that violate a foreign key because they were loaded while foreign keys were off.
 * Changes nothing. Stateless, threadsafe.
 */
public interface ForeignKeys {

  /** The tables on both sides of the table's foreign keys that the user may not read. */
  List<TableId> unreadable(TargetConnection connection, TableId table) throws SQLException;

  /** The violated foreign keys of the tables, which all must be readable. */
  List<BrokenForeignKey> broken(TargetConnection connection, Collection<TableId> tables)
      throws SQLException;
}
