package dev.sluice.target.db2.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/**
 * Tells a server of Derby, which has another catalog and no limit of locks, from Db2. Stateless.
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
