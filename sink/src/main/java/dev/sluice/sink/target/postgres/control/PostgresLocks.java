package dev.sluice.sink.target.postgres.control;

import dev.sluice.sink.target.control.NamedLocks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** PostgreSQL's advisory locks. Stateless, threadsafe. */
public final class PostgresLocks implements NamedLocks {
  private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtext(?), hashtext(?))";

  private static final String TRY = "SELECT 1 WHERE pg_try_advisory_lock(hashtext(?), hashtext(?))";

  /** Finds the lock in this database only, not in others of the same server. */
  private static final String HELD =
      """
      SELECT 1 FROM pg_catalog.pg_locks l
      JOIN pg_catalog.pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.granted AND d.datname = pg_catalog.current_database()
      """;

  private static final String NAME_HELD =
      HELD
          + """
          AND l.objsubid = 2
          AND l.classid::bigint = hashtext(?)::bigint & 4294967295
          AND l.objid::bigint = hashtext(?)::bigint & 4294967295
          """;

  private static final String NUMBER_HELD =
      HELD + "AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = ?";

  @Override
  public void lock(Connection session, String purpose, String key) throws SQLException {
    returnsRow(session, LOCK, purpose, key);
  }

  @Override
  public boolean tryLock(Connection session, String purpose, String key) throws SQLException {
    return returnsRow(session, TRY, purpose, key);
  }

  @Override
  public boolean isHeld(Connection session, String purpose, String key) throws SQLException {
    return returnsRow(session, NAME_HELD, purpose, key);
  }

  @Override
  public boolean isHeld(Connection session, long number) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(NUMBER_HELD)) {
      statement.setLong(1, number);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  private static boolean returnsRow(Connection session, String sql, String purpose, String key)
      throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      statement.setString(1, purpose);
      statement.setString(2, key);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }
}
