package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Keeps other writers away from rows that are corrected. Stateless, threadsafe. */
public interface CorrectionLocks {

  /**
   * Lets nobody else change or delete rows until the open transaction ends. Who inserts a row of
   * one of the keys meanwhile waits, or makes the insert of the correction wait or fail.
   *
   * @param table on the target
   * @param key the target's columns of the key; empty for a table without one
   * @param keys those of the rows; of no use for a table without a key, of which all rows are meant
   * @return the keys whose rows nobody else can change now. Any other one has no row, or its row is
   *     being changed by somebody else
   * @throws SQLException if others hold a lock of the table for longer than the session waits, or a
   *     column cannot have the value of a key
   */
  Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException;

  /** Whether an error says that others hold a row, so that other rows can be corrected. */
  boolean isOfHeldRow(SQLException error);
}
