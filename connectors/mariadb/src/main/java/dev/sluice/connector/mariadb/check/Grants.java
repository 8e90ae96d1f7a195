package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rights that this user has for the whole server, also by active roles. Immutable.
 *
 * @param rights in upper case, as {@code SHOW GRANTS} names them
 */
record Grants(Set<String> rights) {
  private static final Pattern GLOBAL =
      Pattern.compile("GRANT (.+?) ON \\*\\.\\* TO .*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final String ALL = "ALL PRIVILEGES";

  Grants {
    rights = Set.copyOf(rights);
  }

  static Grants read(MariadbQuery query) throws SQLException {
    Set<String> rights = new HashSet<>();
    for (String[] row : query.rows("SHOW GRANTS")) {
      Matcher global = GLOBAL.matcher(row[0]);
      if (global.matches()) {
        for (String right : global.group(1).split(",")) {
          rights.add(right.strip().toUpperCase(Locale.ROOT));
        }
      }
    }
    return new Grants(rights);
  }

  boolean has(String right) {
    return rights.contains(ALL) || rights.contains(right);
  }
}
