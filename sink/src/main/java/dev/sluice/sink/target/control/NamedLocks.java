package dev.sluice.sink.target.control;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Named locks in the target's database that only Sluice uses. Stateless, threadsafe.
 *
 * <p>A lock has a name for its purpose and a key, such as the task.
 */
public interface NamedLocks {

  /** Waits for the lock and keeps it until the transaction ends. */
  void lock(Connection session, String purpose, String key) throws SQLException;

  /**
   * Takes the lock until the session ends.
   *
   * @return false if another session has it
   */
  boolean tryLock(Connection session, String purpose, String key) throws SQLException;

  /** Whether any session has the lock. Takes none. */
  boolean isHeld(Connection session, String purpose, String key) throws SQLException;

  /**
   * Whether any session holds the lock with this number, which another program took.
   *
   * @param number not negative
   */
  boolean isHeld(Connection session, long number) throws SQLException;
}
