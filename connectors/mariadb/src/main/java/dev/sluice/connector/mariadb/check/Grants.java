package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rights that this user has for the whole server, also by active roles, and how it logs in.
 * Immutable.
 *
 * @param rights in upper case, as {@code SHOW GRANTS} names them
 * @param logins the plugins that may know the user, in the order in which the server tries them;
 *     empty for a user with a plain password or none
 */
record Grants(Set<String> rights, List<String> logins) {
  private static final Pattern GLOBAL =
      Pattern.compile("GRANT (.+?) ON \\*\\.\\* TO .*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final String ALL = "ALL PRIVILEGES";

  private static final String VIA = " IDENTIFIED VIA ";
  private static final Pattern LOGIN =
      Pattern.compile("(\\w+)(?: USING '(?:[^']|'')*')?(?: OR |.*)", Pattern.DOTALL);

  /** Plugins whose part of the client the reader of the binary log has. */
  private static final Set<String> READS_LOG =
      Set.of("mysql_native_password", "caching_sha2_password");

  Grants {
    rights = Set.copyOf(rights);
    logins = List.copyOf(logins);
  }

  static Grants read(MariadbQuery query) throws SQLException {
    return of(query.rows("SHOW GRANTS").stream().map(row -> row[0]).toList());
  }

  /**
   * The rights that statements grant.
   *
   * @param statements as {@code SHOW GRANTS} prints them
   */
  static Grants of(List<String> statements) {
    Set<String> rights = new HashSet<>();
    List<String> logins = new ArrayList<>();
    for (String statement : statements) {
      Matcher global = GLOBAL.matcher(statement);
      if (global.matches()) {
        int via = statement.indexOf(VIA);
        if (via >= 0) {
          Matcher login = LOGIN.matcher(statement).region(via + VIA.length(), statement.length());
          while (login.lookingAt()) {
            logins.add(login.group(1));
            login.region(login.end(), statement.length());
          }
        }
        for (String right : global.group(1).split(",")) {
          rights.add(right.strip().toUpperCase(Locale.ROOT));
        }
      }
    }
    return new Grants(rights, logins);
  }

  /** A plugin for which the reader of the binary log cannot log in; empty if it can. */
  Optional<String> cannotReadLog() {
    // The server asks for the first one that needs something of the client.
    return logins.stream()
        .filter(plugin -> !plugin.equals("unix_socket"))
        .findFirst()
        .filter(plugin -> !READS_LOG.contains(plugin));
  }

  boolean has(String right) {
    return rights.contains(ALL) || rights.contains(right);
  }
}
