package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/*
 * A lock of single rows would be one for each key, and would keep nobody from inserting one. Under
 * the lock of the table others read, and wait to write. It is granted when all who have written have
 * ended, so what is read from then on is what the correction overwrites. Others may hold it as well, as
 * a report does: then the correction's own writes wait for them, as shortly as for the lock.
 */
/** Locks the complete table for those who write, whatever the rows are. Stateless. */
final class Db2CorrectionLocks implements CorrectionLocks {
  /** Those who come later wait behind the one that waits. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

  @Override
  public Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    if (key.isEmpty()) {
      throw new IllegalStateException("BUG: rows of a table without a key are corrected");
    }
    Db2Session session = connection.jdbc().unwrap(Db2Session.class);
    // It is one of each statement. The server limits their waits for locks, and the hold has its
    // end.
    session.restoreStatementLimit(Duration.ZERO);
    session.lockTable(table.quoted(), "SHARE", LOCK_TIMEOUT);
    return Set.copyOf(keys);
  }

  /** The whole table is held, so that no other row could be corrected. */
  @Override
  public boolean isOfHeldRow(SQLException error) {
    return false;
  }
}
