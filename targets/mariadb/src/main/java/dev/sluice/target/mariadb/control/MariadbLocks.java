package dev.sluice.target.mariadb.control;

import dev.sluice.connector.comparison.mariadb.NumberedLock;
import dev.sluice.sink.target.control.NamedLocks;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;

/*
 * Named locks belong to the server, not to a database. So do the control schemas. So the name of a
 * lock does not contain the database of the url.
 */
/** The server's named locks (GET_LOCK). Stateless, threadsafe. */
public final class MariadbLocks implements NamedLocks {
  private static final int YEAR_SECONDS = 365 * 24 * 60 * 60;

  /** The name of a lock has at most 64 characters. */
  private static final int HASH_BYTES = 24;

  @Override
  public void lock(Connection session, String purpose, String key) throws SQLException {
    String name = nameOf(purpose, key);
    if (take(session, name, YEAR_SECONDS)) {
      session.unwrap(LockingConnection.class).releaseAtEnd(name);
    } else {
      throw new SQLException("lock %s of %s was not free".formatted(purpose, key), "HY000", 1205);
    }
  }

  @Override
  public boolean tryLock(Connection session, String purpose, String key) throws SQLException {
    return take(session, nameOf(purpose, key), 0);
  }

  private static boolean take(Connection session, String name, int seconds) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement("SELECT GET_LOCK(?, ?)")) {
      statement.setString(1, name);
      statement.setInt(2, seconds);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1) == 1;
      }
    }
  }

  @Override
  public boolean isHeld(Connection session, String purpose, String key) throws SQLException {
    try (PreparedStatement statement =
        session.prepareStatement("SELECT IS_USED_LOCK(?) IS NOT NULL")) {
      statement.setString(1, nameOf(purpose, key));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  @Override
  public boolean isHeld(Connection session, long number) throws SQLException {
    return NumberedLock.isHeld(session, number);
  }

  private static String nameOf(String purpose, String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest((purpose + '\0' + key).getBytes(StandardCharsets.UTF_8));
      return "sluice." + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: every Java has SHA-256", e);
    }
  }
}
