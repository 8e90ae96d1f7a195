package dev.sluice.sink.target;

import java.sql.SQLException;

/** Finds an advisory lock in the target's database. Stateless. */
public final class AdvisoryLocks {
  private AdvisoryLocks() {}

  /**
   * Whether a session in the target's database holds an advisory lock.
   *
   * @param key the lock's key, not negative
   */
  public static boolean isHeld(TargetServer target, long key) {
    try (TargetConnection connection = target.borrow()) {
      return connection.dialect().locks().isHeld(connection.jdbc(), key);
    } catch (SQLException e) {
      throw target.errors().classify("read the advisory locks", e);
    }
  }
}
