package dev.sluice.target.mariadb.catalog;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads which rights MySQL revokes from a user for single databases if partial_revokes is ON. The
 * catalog does not show them. Stateless.
 */
final class PartialRevokes {
  /** As the server names itself when a session is opened; no query is needed. */
  private static final String MYSQL = "MySQL";

  /** Names are quoted as sql_mode of the session says. */
  private static final Pattern REVOKE =
      Pattern.compile("REVOKE (.+) ON ([`\"])(.+)\\2\\.\\* FROM .+");

  private PartialRevokes() {}

  /** The global rights that the session's user does not have in a database. */
  static Set<String> in(Connection session, String database) throws SQLException {
    Set<String> revoked = new HashSet<>();
    if (!session.getMetaData().getDatabaseProductName().equals(MYSQL)) {
      return revoked;
    }
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SHOW GRANTS")) {
      while (row.next()) {
        Matcher found = REVOKE.matcher(row.getString(1));
        if (found.matches()) {
          String quote = found.group(2);
          if (found.group(3).replace(quote + quote, quote).equals(database)) {
            revoked.addAll(Arrays.asList(found.group(1).split(", ")));
          }
        }
      }
    }
    return revoked;
  }

  /**
   * Whether partial_revokes is ON. Names of databases in grants are then literal: they have no
   * wildcards and no escapes.
   */
  static boolean areOn(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL VARIABLES LIKE 'partial_revokes'")) {
      return row.next() && row.getString(2).equals("ON");
    }
  }
}
