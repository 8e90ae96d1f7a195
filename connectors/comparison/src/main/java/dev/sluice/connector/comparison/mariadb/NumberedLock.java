package dev.sluice.connector.comparison.mariadb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A named lock with a number in it (GET_LOCK), which all sessions of one server see, whatever their
 * database. With it two sessions find out whether they are on the same server. Stateless.
 */
public final class NumberedLock {
  private NumberedLock() {}

  /** Takes it for as long as the session lives; false if another session has it. */
  public static boolean take(Connection session, long number) throws SQLException {
    return isTrue(session, "SELECT GET_LOCK(?, 0) = 1", number);
  }

  /** Whether any session of the server has it. */
  public static boolean isHeld(Connection session, long number) throws SQLException {
    return isTrue(session, "SELECT IS_USED_LOCK(?) IS NOT NULL", number);
  }

  private static boolean isTrue(Connection session, String sql, long number) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(sql)) {
      statement.setString(1, "sluice.source." + number);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }
}
