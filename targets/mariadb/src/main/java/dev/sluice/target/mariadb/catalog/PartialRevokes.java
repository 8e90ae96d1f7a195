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
 * What a server of MySQL takes away from a user's rights where partial_revokes is ON. Its catalog
 * shows none of it. Stateless.
 */
final class PartialRevokes {
  /** As the server greets; no question is sent for it. */
  private static final String MYSQL = "MySQL";

  /** Names are quoted as the session's sql_mode says. */
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
   * Whether they are possible. The names of databases in grants are then taken as they stand: they
   * have neither wildcards nor escapes of them.
   */
  static boolean areOn(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL VARIABLES LIKE 'partial_revokes'")) {
      return row.next() && row.getString(2).equals("ON");
    }
  }
}
