package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Keeps other writers away from rows that are corrected. Stateless, threadsafe. */
public interface CorrectionLocks {

  /**
   * Keeps others from changing or deleting rows until the open transaction ends. A session that
   * inserts a row with one of the keys meanwhile waits, or makes the correction's insert wait or
   * fail.
   *
   * @param table on the target
   * @param key the target's columns of the key; empty for a table without one
   * @param keys the keys of the rows; ignored for a table without a key, of which all rows are
   *     meant
   * @return the keys whose rows nobody else can change now. Any other key has no row, or another
   *     transaction is changing its row
   * @throws SQLException if others hold a lock on the table for longer than the session waits, or a
   *     column cannot have the value of a key
   */
  Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException;

  /** Whether an error means that others hold only this row, so that other rows can be corrected. */
  boolean isOfHeldRow(SQLException error);
}
