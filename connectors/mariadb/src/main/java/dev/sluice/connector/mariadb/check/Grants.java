package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.server.Flavour;
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
 * The rights that this user has for the whole server and for databases, also by active roles, and
 * how it logs in. Immutable.
 *
 * @param rights in upper case, as {@code SHOW GRANTS} names them
 * @param logins the authentication plugins of the user, in the order in which the server tries
 *     them; empty for a user of MariaDB with a plain password or none
 * @param ofDatabases the rights that are granted or revoked for single databases
 * @param hasRoles whether roles are granted, also those that are not active
 */
record Grants(
    Set<String> rights, List<String> logins, List<OfDatabase> ofDatabases, boolean hasRoles) {
  private static final Pattern GLOBAL =
      Pattern.compile("GRANT (.+?) ON \\*\\.\\* TO .*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final String ALL = "ALL PRIVILEGES";

  private static final String VIA = " IDENTIFIED VIA ";
  private static final Pattern LOGIN =
      Pattern.compile("(\\w+)(?: USING '(?:[^']|'')*')?(?: OR |.*)", Pattern.DOTALL);

  /** Authentication plugins that the reader of the binary log supports. */
  private static final Set<String> READS_LOG =
      Set.of("mysql_native_password", "caching_sha2_password");

  /** A statement with rights for one database, whose name may have wildcards. */
  private static final Pattern OF_DATABASE =
      Pattern.compile(
          "(?<verb>GRANT|REVOKE) (?<rights>.+?) ON (?<quote>[`\"])(?<name>.+)\\k<quote>\\.\\* (?:TO|FROM) .*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern OF_ROLES =
      Pattern.compile("GRANT [`\"].*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /** How MySQL prints a login factor; there may be several. */
  private static final Pattern WITH = Pattern.compile("IDENTIFIED WITH '(\\w+)'");

  Grants {
    rights = Set.copyOf(rights);
    logins = List.copyOf(logins);
    ofDatabases = List.copyOf(ofDatabases);
  }

  /**
   * Rights for the databases of one name.
   *
   * @param granted false if they are revoked from the global rights
   * @param name with the wildcards of LIKE
   */
  record OfDatabase(boolean granted, String name, Set<String> rights) {
    boolean concerns(String right, String database) {
      return (rights.contains(ALL) || rights.contains(right)) && like().matcher(database).matches();
    }

    private Pattern like() {
      StringBuilder regex = new StringBuilder();
      for (int i = 0; i < name.length(); i++) {
        char c = name.charAt(i);
        if (c == '\\' && i + 1 < name.length()) {
          regex.append(Pattern.quote(String.valueOf(name.charAt(++i))));
        } else {
          regex.append(c == '%' ? ".*" : c == '_' ? "." : Pattern.quote(String.valueOf(c)));
        }
      }
      return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
  }

  static Grants read(MariadbQuery query) throws SQLException {
    Grants found = of(query.rows("SHOW GRANTS").stream().map(row -> row[0]).toList());
    return query.flavour() == Flavour.MARIADB
        ? found
        : found.loggingInBy(query.row("SHOW CREATE USER CURRENT_USER()").orElseThrow()[0]);
  }

  /**
   * The same with the logins of a user of MySQL.
   *
   * @param statement as {@code SHOW CREATE USER} prints it
   */
  Grants loggingInBy(String statement) {
    return new Grants(
        rights,
        WITH.matcher(statement).results().map(login -> login.group(1)).toList(),
        ofDatabases,
        hasRoles);
  }

  /**
   * The rights that statements grant.
   *
   * @param statements as {@code SHOW GRANTS} prints them
   */
  static Grants of(List<String> statements) {
    Set<String> rights = new HashSet<>();
    List<String> logins = new ArrayList<>();
    List<OfDatabase> ofDatabases = new ArrayList<>();
    boolean hasRoles = false;
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
        rights.addAll(names(global.group(1)));
      }
      Matcher one = OF_DATABASE.matcher(statement);
      if (one.matches()) {
        ofDatabases.add(
            new OfDatabase(
                one.group("verb").equalsIgnoreCase("GRANT"),
                one.group("name").replace(one.group("quote").repeat(2), one.group("quote")),
                names(one.group("rights"))));
      }
      hasRoles |= OF_ROLES.matcher(statement).matches();
    }
    return new Grants(rights, logins, ofDatabases, hasRoles);
  }

  /** A plugin for which the reader of the binary log cannot log in; empty if it can. */
  Optional<String> cannotReadLog() {
    // The server asks for the first plugin that needs an answer of the client.
    return logins.stream()
        .filter(plugin -> !plugin.equals("unix_socket"))
        .findFirst()
        .filter(plugin -> !READS_LOG.contains(plugin));
  }

  private static Set<String> names(String list) {
    Set<String> names = new HashSet<>();
    for (String right : list.split(",")) {
      names.add(right.strip().toUpperCase(Locale.ROOT));
    }
    return names;
  }

  boolean has(String right) {
    return rights.contains(ALL) || rights.contains(right);
  }

  /** Whether the user has a right for a whole database. */
  boolean has(String right, String database) {
    boolean taken =
        ofDatabases.stream().anyMatch(one -> !one.granted() && one.concerns(right, database));
    return has(right) && !taken
        || ofDatabases.stream().anyMatch(one -> one.granted() && one.concerns(right, database));
  }
}
