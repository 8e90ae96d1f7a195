package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/*
 * YugabyteDB has no LOCK TABLE. Both the sessions that load rows and those that empty their table
 * are Sluice's, so advisory locks are enough. They keep nobody else out.
 */
/**
 * Locks on tables between the sessions that load rows and those that empty the tables. Stateless.
 */
final class LoadLocks {
  private static final String LOADED =
      "SELECT pg_catalog.pg_advisory_xact_lock_shared(hashtext('sluice load'), hashtext(?))";

  private static final String EMPTIED =
      "SELECT pg_catalog.pg_advisory_xact_lock(hashtext('sluice load'), hashtext(?))";

  private static final String MADE =
      "SELECT pg_catalog.pg_advisory_lock(hashtext('sluice load'), hashtext(?))";

  private static final String MADE_NO_MORE =
      "SELECT pg_catalog.pg_advisory_unlock(hashtext('sluice load'), hashtext(?))";

  private LoadLocks() {}

  /** Keeps the table from being emptied until the transaction ends. */
  static void holdLoaded(TargetConnection connection, TableId table) throws SQLException {
    hold(connection, LOADED, table);
  }

  /** Waits until the transactions that load rows have ended, and keeps new ones from beginning. */
  static void holdEmptied(TargetConnection connection, TableId table) throws SQLException {
    hold(connection, EMPTIED, table);
  }

  /**
   * Holds the lock until {@link #releaseMade} or the end of the session, since creating a table
   * takes several transactions.
   */
  static void holdMade(TargetConnection connection, TableId table) throws SQLException {
    hold(connection, MADE, table);
  }

  static void releaseMade(TargetConnection connection, TableId table) throws SQLException {
    hold(connection, MADE_NO_MORE, table);
  }

  private static void hold(TargetConnection connection, String lock, TableId table)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(lock)) {
      statement.setString(1, table.quoted());
      statement.executeQuery().close();
    }
  }
}
