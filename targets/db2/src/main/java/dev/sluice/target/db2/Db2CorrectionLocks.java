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
 * Locks on single rows would not keep others from inserting a row. Under the table lock others can
 * read, and wait to write. The lock is granted when all transactions that have written to the table
 * have ended, so what is read after that is what the correction overwrites. Others may hold the
 * lock in the same mode, such as a report: then the correction's own writes wait for them, with the
 * same short timeout.
 */
/** Locks the complete table against writers, whatever the rows are. Stateless. */
final class Db2CorrectionLocks implements CorrectionLocks {
  /** Short, since all later writers wait behind a session that waits for the lock. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

  @Override
  public Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    if (key.isEmpty()) {
      throw new IllegalStateException("BUG: rows of a table without a key are corrected");
    }
    Db2Session session = connection.jdbc().unwrap(Db2Session.class);
    // The driver's limit is for each statement. Here the server limits the waits for locks, and the
    // lock is held for a limited time.
    session.restoreStatementLimit(Duration.ZERO);
    session.lockTable(table.quoted(), "SHARE", LOCK_TIMEOUT);
    return Set.copyOf(keys);
  }

  /** False: the complete table is locked, so no other row could be corrected either. */
  @Override
  public boolean isOfHeldRow(SQLException error) {
    return false;
  }
}
