package dev.sluice.target.mariadb.catalog;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The server settings that decide whether a commit is on disk when the server confirms it. If there
 * is a binary log, a crash undoes transactions that are missing in it, so both logs must be
 * written. Immutable.
 *
 * @param redoLog {@code innodb_flush_log_at_trx_commit}
 * @param binaryLog {@code sync_binlog}; 1 if there is no binary log
 */
public record CommitDurability(long redoLog, long binaryLog) {
  public static final String QUERY =
      "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit,"
          + " CASE WHEN @@GLOBAL.log_bin = 1 THEN @@GLOBAL.sync_binlog ELSE 1 END";

  public static final String EXPECTED = "innodb_flush_log_at_trx_commit 1 and sync_binlog 1";

  public static final String FIX =
      "SET GLOBAL innodb_flush_log_at_trx_commit = 1, GLOBAL sync_binlog = 1 (and set both in the"
          + " server's configuration)";

  /** Reads the row of {@link #QUERY}. */
  public static CommitDurability of(ResultSet row) throws SQLException {
    return new CommitDurability(row.getLong(1), row.getLong(2));
  }

  /**
   * Whether each commit is on disk; 3 is safe as well, it writes the redo log more often than 1.
   */
  public boolean isGiven() {
    return (redoLog == 1 || redoLog == 3) && binaryLog == 1;
  }

  public String text() {
    return "innodb_flush_log_at_trx_commit is %d, sync_binlog is %d".formatted(redoLog, binaryLog);
  }
}
