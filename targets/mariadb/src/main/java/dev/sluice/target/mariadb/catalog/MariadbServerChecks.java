package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.SharedCluster;
import dev.sluice.connector.comparison.mariadb.ClusterMember;
import dev.sluice.sink.target.ServerChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks a server of MariaDB or MySQL and the rights of its user. Stateless, threadsafe. */
public final class MariadbServerChecks implements ServerChecks {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*MariaDB.*");
  private static final Pattern OF_TLS =
      Pattern.compile("(?is).*\\b(ssl|tls|certificat\\w*|PKIX|serverSslCert)\\b.*");
  private static final int FIRST_MAJOR = 10;
  private static final int FIRST_MINOR = 11;

  private static final String SETTINGS =
      "SELECT VERSION(), @@GLOBAL.local_infile, DATABASE(),"
          + " CASE WHEN @@GLOBAL.log_bin = 1 THEN @@GLOBAL.binlog_format ELSE 'ROW' END,"
          + " CAST(@@GLOBAL.read_only AS CHAR) NOT IN ('0', 'OFF')";

  /** The rights that a task needs for tables that it creates. */
  private static final List<String> OF_SCHEMA =
      List.of("SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "INDEX");

  private static final int WRONG_LOGIN = 1045;
  private static final int ONLY_ENCRYPTED = 3159;
  private static final int NO_DATABASE = 1049;

  private final ServerKind server;

  public MariadbServerChecks(ServerKind server) {
    this.server = server;
  }

  @Override
  public List<Problem> database(TargetConnection connection, TargetServer target)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    String thing = "target " + target;
    try (Statement statement = connection.jdbc().createStatement()) {
      try (ResultSet row = statement.executeQuery(SETTINGS)) {
        row.next();
        // MySQL's version is checked when a session is opened.
        if (server == ServerKind.MARIADB && !isKnown(row.getString(1))) {
          problems.add(
              new Problem(
                  thing,
                  "it is version " + row.getString(1),
                  "MariaDB %d.%d or newer".formatted(FIRST_MAJOR, FIRST_MINOR),
                  "Use such a server"));
        }
        // The user may have a right to write to a read-only server.
        if (row.getBoolean(5)) {
          problems.add(
              new Problem(
                  thing,
                  "it is read-only (read_only is ON)",
                  "a server that takes writes, such as the primary of its cluster",
                  "Write the address of the primary into target.url"));
        }
        if (!row.getBoolean(2)) {
          problems.add(
              new Problem(
                  thing,
                  "local_infile is OFF",
                  "ON, since rows are sent by LOAD DATA LOCAL",
                  "Run: SET GLOBAL local_infile = ON (and set it in the server's configuration)"));
        }
        if (!row.getString(4).equals("ROW")) {
          problems.add(
              new Problem(
                  thing,
                  "binlog_format is " + row.getString(4),
                  "ROW: otherwise temporary tables and their rows are written into the log, or"
                      + " changes are refused",
                  "Run: SET GLOBAL binlog_format = ROW (and set it in the server's configuration)"));
        }
        if (row.getString(3) == null) {
          problems.add(
              new Problem(
                  thing,
                  "its url names no database",
                  "a database, in which sessions create their temporary tables",
                  "Add its name to the url"));
        } else {
          temporaryTables(connection, thing, row.getString(3)).ifPresent(problems::add);
        }
      }
      ClusterMember.read(connection.jdbc())
          .ifPresent(member -> problems.addAll(member.problems(thing)));
      if (server == ServerKind.MYSQL) {
        problems.addAll(MysqlSettings.problems(statement, thing));
      }
      try (ResultSet row = statement.executeQuery(CommitDurability.QUERY)) {
        row.next();
        CommitDurability found = CommitDurability.of(row);
        if (!found.isGiven()) {
          problems.add(
              new Problem(
                  thing,
                  found.text(),
                  CommitDurability.EXPECTED
                      + ": a commit that was answered must survive a crash of the server",
                  "Run: " + CommitDurability.FIX));
        }
      }
    }
    return problems;
  }

  @Override
  public List<String> notes(TargetConnection connection) throws SQLException {
    return ClusterMember.read(connection.jdbc()).map(MariadbServerChecks::note).stream().toList();
  }

  @Override
  public Optional<SharedCluster> cluster(TargetConnection connection) throws SQLException {
    return ClusterMember.read(connection.jdbc()).flatMap(ClusterMember::cluster);
  }

  /** Names only what a task relies on. */
  static String note(ClusterMember member) {
    return "the target is %s, which was never tried. A window changes the task's checkpoint, so of two members that apply one, the later fails at its commit (error %d) and nothing of it stays. Named locks and table locks hold on this member alone: name one member in target.url, and let nobody use the task's tables through another one while they are loaded, made, repaired, cut over or removed"
        .formatted(member.words(), member.kind().conflict());
  }

  private static boolean isKnown(String version) {
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.matches()) {
      return false;
    }
    int major = Integer.parseInt(numbers.group(1));
    return major > FIRST_MAJOR
        || major == FIRST_MAJOR && Integer.parseInt(numbers.group(2)) >= FIRST_MINOR;
  }

  /** Found by a try, since rights may come from roles. It does not commit. */
  private static Optional<Problem> temporaryTables(
      TargetConnection connection, String thing, String database) throws SQLException {
    try {
      connection.execute("CREATE TEMPORARY TABLE sluice_check (n int PRIMARY KEY) ENGINE = InnoDB");
      connection.execute("DROP TEMPORARY TABLE sluice_check");
      return Optional.empty();
    } catch (SQLException e) {
      if (connection.errors().faultOf(e).mayPass()) {
        throw e;
      }
      return Optional.of(
          new Problem(
              thing,
              "no temporary table can be created: " + connection.errors().textOf(e),
              "CREATE TEMPORARY TABLES on database " + database + ", for staging",
              "Run: GRANT CREATE TEMPORARY TABLES ON %s.* TO the user of target.url"
                  .formatted(Shown.name(database))));
    }
  }

  @Override
  public Optional<Problem> schema(
      TargetConnection connection,
      TargetServer server,
      String schema,
      String thing,
      String expected)
      throws SQLException {
    Set<String> granted = TableRights.granted(connection.jdbc(), schema, "");
    List<String> missing = OF_SCHEMA.stream().filter(right -> !granted.contains(right)).toList();
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                thing,
                "no right to " + String.join(", ", missing) + " there",
                expected,
                "Run: GRANT %s ON %s.* TO the user of target.url"
                    .formatted(String.join(", ", missing), Shown.name(schema))));
  }

  /**
   * Tables of MariaDB have no owner. Without a right to see triggers, those that the drop would
   * remove could not be named.
   */
  @Override
  public Optional<Problem> dropping(TargetConnection connection, TargetServer server, TableId table)
      throws SQLException {
    return TableRights.read(connection.jdbc(), table).seesTriggers()
        ? Optional.empty()
        : Optional.of(TableFitness.unseenTriggers(table));
  }

  @Override
  public Optional<Problem> comparison(TargetConnection connection, TargetServer target)
      throws SQLException {
    return ComparisonRight.problem(connection.jdbc(), server, "target " + target);
  }

  /**
   * A server that folds names to lower case creates a table under another name than the given one.
   */
  @Override
  public Optional<Problem> name(TargetConnection connection, TableId table) throws SQLException {
    String name = table.toString();
    if (name.equals(name.toLowerCase(Locale.ROOT))
        || !connection.exists("SELECT 1 FROM DUAL WHERE @@GLOBAL.lower_case_table_names <> 0")) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            "target table " + table,
            "its name or its database has upper case, and this server ignores the case of names"
                + " (lower_case_table_names)",
            "names in lower case",
            "Map it by a rule with rule-action convert-lowercase, and rule-target table or schema"));
  }

  @Override
  public List<Problem> rights(TargetServer server, TargetTable table) {
    if (table.missingPrivileges().isEmpty()) {
      return List.of();
    }
    String rights = String.join(", ", table.missingPrivileges());
    return List.of(
        new Problem(
            "target table " + table.id(),
            "no right to " + rights,
            "SELECT, INSERT, UPDATE and DELETE",
            "Run: GRANT %s ON %s TO the user of target.url"
                .formatted(rights, Shown.table(table.id()))));
  }

  @Override
  public String fixOfFiring(String user) {
    return server.label()
        + " cannot switch triggers off: drop them now, and create them at the cutover";
  }

  @Override
  public String fixOfUnreachable(SluiceException failure) {
    // Errors of the driver have negative numbers, or none.
    int number = failure.getCause() instanceof SQLException e ? Math.max(0, e.getErrorCode()) : 0;
    return switch (number) {
      case WRONG_LOGIN ->
          "Check user, password and the hosts from which the user may come, and whether it must"
              + " encrypt its sessions (sslMode in the url)";
      case ONLY_ENCRYPTED -> "Add ?sslMode=verify-ca&serverSslCert=FILE to target.url";
      case NO_DATABASE -> "Create the database, or name another one in the url";
      case 0 ->
          OF_TLS.matcher(failure.getMessage()).matches()
              ? "Correct serverSslCert, sslMode or the host in target.url, or the server's certificate"
              : "Check that the server runs and can be reached from here, and check the url";
      default -> "Act on the server's message";
    };
  }

  @Override
  public boolean isOfPassword(SluiceException failure) {
    return failure.getCause() instanceof SQLException cause && cause.getErrorCode() == WRONG_LOGIN;
  }

  /** Empty: the server does not list which tables it receives as a replica. */
  @Override
  public Map<TableId, String> subscribedTables(TargetConnection connection) {
    return Map.of();
  }

  @Override
  public Optional<String> excessiveRights(TargetConnection connection) throws SQLException {
    return connection.exists(
            "SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE IN ('FILE',"
                + " 'SUPER') AND GRANTEE = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1),"
                + " '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')")
        ? Optional.of("an administrator (FILE or SUPER)")
        : Optional.empty();
  }
}
