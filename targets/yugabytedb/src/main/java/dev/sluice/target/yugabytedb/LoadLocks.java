package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/*
 * LOCK TABLE is missing. Who loads rows and who empties their table are both Sluice, so locks by
 * name do. Everybody else is kept out by nothing.
 */
/** Locks on tables between a load's writers and those who empty them. Stateless. */
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

  /** Waits for the ends of the transactions that load rows, and keeps others from beginning. */
  static void holdEmptied(TargetConnection connection, TableId table) throws SQLException {
    hold(connection, EMPTIED, table);
  }

  /**
   * The same until {@link #releaseMade} or the session's end: who makes it commits several times.
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
