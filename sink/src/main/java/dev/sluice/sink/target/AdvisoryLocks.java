package dev.sluice.sink.target;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Finds an advisory lock in the target's database. Stateless. */
public final class AdvisoryLocks {
  /** Finds the lock in this database only, not in others of the same server. */
  private static final String SEES_LOCK =
      """
      SELECT 1 FROM pg_catalog.pg_locks l
      JOIN pg_catalog.pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.granted AND d.datname = pg_catalog.current_database()
        AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = ?
      """;

  private AdvisoryLocks() {}

  /**
   * Whether a session in the target's database holds an advisory lock.
   *
   * @param key the lock's key, not negative
   */
  public static boolean isHeld(TargetServer target, long key) {
    try (TargetConnection connection = target.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(SEES_LOCK)) {
      statement.setLong(1, key);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    } catch (SQLException e) {
      throw target.errors().classify("read the advisory locks", e);
    }
  }
}
