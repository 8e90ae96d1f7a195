package dev.sluice.target.mariadb;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The setting wsrep_load_data_splitting of Galera nodes. If it is on, LOAD DATA commits after every
 * 10,000 rows, without the checkpoint that belongs to them. It is a global setting, and may change
 * at any time. Stateless.
 */
final class LoadSplitting {
  /** A statement with fewer rows is never split. */
  static final int ROWS = 10_000;

  private static final String QUERY = "SHOW GLOBAL VARIABLES LIKE 'wsrep_load_data_splitting'";

  private LoadSplitting() {}

  /**
   * @throws SQLException if the server would commit parts of a transaction
   */
  static void requireOff(Connection jdbc) throws SQLException {
    try (Statement statement = jdbc.createStatement();
        ResultSet row = statement.executeQuery(QUERY)) {
      if (row.next() && row.getString(2).equals("ON")) {
        throw new SQLException(
            "wsrep_load_data_splitting is ON, so the server commits parts of a transaction;"
                + " expected OFF. Run: SET GLOBAL wsrep_load_data_splitting = OFF (and set it in"
                + " the server's configuration)",
            "42000",
            MariadbErrors.NOT_SUPPORTED);
      }
    }
  }
}
