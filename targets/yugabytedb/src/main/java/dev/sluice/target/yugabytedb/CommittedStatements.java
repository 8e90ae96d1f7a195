package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;

/** Statements of which each is a transaction of its own, as DDL is on a cluster. Stateless. */
final class CommittedStatements {

  /** What is done under a lock. */
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
   * Keeps others of Sluice from a table's name meanwhile, and waits for those that have it: a
   * session whose client is gone may still run its last statement.
   */
  static void underLock(TargetConnection connection, TableId table, Work work) throws SQLException {
    connection.rollback();
    try {
      LoadLocks.holdMade(connection, table);
      connection.jdbc().commit();
      work.run();
    } finally {
      if (!connection.jdbc().isClosed()) {
        RepeatedTransaction.run(connection.errors(), () -> release(connection, table));
      }
    }
  }

  /** The table is as it is now: nothing that comes here changes it again. */
  private static void release(TargetConnection connection, TableId table) throws SQLException {
    // A transaction that has failed would hide why.
    connection.rollback();
    LoadLocks.releaseMade(connection, table);
    connection.jdbc().commit();
  }
}
