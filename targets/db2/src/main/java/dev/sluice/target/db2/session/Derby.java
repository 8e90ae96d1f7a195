package dev.sluice.target.db2.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/**
 * Detects a server of Derby, which has another catalog than Db2 and no lock timeout for a session.
 * Stateless.
 */
public final class Derby {
  private Derby() {}

  public static boolean isIt(Connection session) throws SQLException {
    return session
        .getMetaData()
        .getDatabaseProductName()
        .toLowerCase(Locale.ROOT)
        .contains("derby");
  }
}
