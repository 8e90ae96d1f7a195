package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.document.Problem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks settings of MySQL that MariaDB does not have, and that a session cannot change. Stateless.
 */
final class MysqlSettings {
  private static final String QUERY = "SELECT @@SESSION.sql_require_primary_key";

  private static final String REDO_LOG = "SHOW GLOBAL STATUS LIKE 'Innodb_redo_log_enabled'";

  private MysqlSettings() {}

  static List<Problem> problems(Statement statement, String thing) throws SQLException {
    List<Problem> problems = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(QUERY)) {
      row.next();
      if (row.getBoolean(1)) {
        problems.add(
            new Problem(
                thing,
                "sql_require_primary_key is ON",
                "OFF for the sessions of the task, whose temporary tables have no key",
                "Run: SET GLOBAL sql_require_primary_key = OFF (and set it in the server's"
                    + " configuration)"));
      }
    }
    try (ResultSet row = statement.executeQuery(REDO_LOG)) {
      if (row.next() && row.getString(2).equals("OFF")) {
        problems.add(
            new Problem(
                thing,
                "its redo log is switched off, so a crash loses what it has committed",
                "Innodb_redo_log_enabled ON",
                "Run: ALTER INSTANCE ENABLE INNODB REDO_LOG"));
      }
    }
    return problems;
  }
}
