package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import java.sql.SQLException;
import java.util.List;

/** Keeps other writers away from rows that are corrected. Stateless, threadsafe. */
public interface CorrectionLocks {

  /**
   * Lets nobody else change or delete rows until the open transaction ends. Who inserts a row of
   * one of the keys meanwhile waits, or makes the insert of the correction fail.
   *
   * @param table on the target
   * @param key the target's columns of the key; empty for a table without one
   * @param keys those of the rows; of no use for a table without a key, of which all rows are meant
   * @throws SQLException if others hold a lock for longer than the session waits, or a column
   *     cannot have the value of a key
   */
  void keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException;
}
