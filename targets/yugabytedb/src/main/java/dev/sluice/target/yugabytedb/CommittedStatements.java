package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;

/** Runs statements, each in its own transaction, as DDL on a cluster needs. Stateless. */
final class CommittedStatements {

  /** Work that is done while a lock is held. */
  interface Work {
    void run() throws SQLException;
  }

  private CommittedStatements() {}

  /** Runs statements, one after the other. */
  static void each(TargetConnection connection, List<String> statements) throws SQLException {
    connection.rollback();
    connection.jdbc().setAutoCommit(true);
    try {
      for (String statement : statements) {
        connection.execute(statement);
      }
    } finally {
      if (!connection.jdbc().isClosed()) {
        connection.jdbc().setAutoCommit(false);
      }
    }
  }

  /**
   * Holds a lock on a table's name against other sessions of Sluice, and first waits for those that
   * hold it: a session whose client is gone may still run its last statement.
   */
  static void underLock(TargetConnection connection, TableId table, Work work) throws SQLException {
    connection.rollback();
    try {
      LoadLocks.holdMade(connection, table);
      connection.jdbc().commit();
      work.run();
    } catch (SQLException | RuntimeException e) {
      try {
        releaseIfOpen(connection, table);
      } catch (SQLException | RuntimeException hidden) {
        e.addSuppressed(hidden);
      }
      throw e;
    }
    releaseIfOpen(connection, table);
  }

  private static void releaseIfOpen(TargetConnection connection, TableId table)
      throws SQLException {
    if (!connection.jdbc().isClosed()) {
      RepeatedTransaction.run(connection.errors(), () -> release(connection, table));
    }
  }

  /** Releases the lock. Nothing after this changes the table. */
  private static void release(TargetConnection connection, TableId table) throws SQLException {
    // In a failed transaction the release would fail as well, and hide the first error.
    connection.rollback();
    LoadLocks.releaseMade(connection, table);
    connection.jdbc().commit();
  }
}
