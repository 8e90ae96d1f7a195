package dev.sluice.sink.target;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Tells whether another session is in the target's database, by a lock that it holds. Stateless.
 */
public final class LockSight {
  /** Whether this database holds the lock, and not another one of the same server. */
  private static final String SEES_LOCK =
      """
      SELECT 1 FROM pg_catalog.pg_locks l
      JOIN pg_catalog.pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.granted AND d.datname = pg_catalog.current_database()
        AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = ?
      """;

  private LockSight() {}

  /**
   * Whether the target's database holds an advisory lock.
   *
   * @param key of the lock, not negative
   */
  public static boolean seesLock(TargetServer target, long key) {
    try (TargetConnection connection = target.connect();
        PreparedStatement statement = connection.jdbc().prepareStatement(SEES_LOCK)) {
      statement.setLong(1, key);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    } catch (SQLException e) {
      throw TargetErrors.classify("look for an advisory lock", e);
    }
  }
}
