package dev.sluice.connector.mariadb.check;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks version, settings and rights. Used once, by one thread. */
final class MariadbServerChecks {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");
  private static final int FIRST_MAJOR = 10;
  private static final int FIRST_MINOR = 11;
  private static final long DAY_SECONDS = 24 * 60 * 60;

  private static final List<String> RIGHTS = List.of("REPLICATION SLAVE", "BINLOG MONITOR");

  private final MariadbServer server;
  private final MariadbQuery query;
  private final Map<String, String> variables;
  private final Grants grants;
  private final List<Problem> problems = new ArrayList<>();

  MariadbServerChecks(MariadbServer server, MariadbQuery query) throws SQLException {
    this.server = server;
    this.query = query;
    this.variables = query.variables();
    this.grants = Grants.read(query);
  }

  /** What prevents any reading of tables. */
  List<Problem> problemsOfReading() throws SQLException {
    version();
    Optional<String[]> database =
        query.row(
            "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?",
            server.database());
    if (database.isPresent() && !database.get()[0].equals(server.database())) {
      problem(
          "its database is named %s, and not %s".formatted(database.get()[0], server.database()),
          "the name as the server has it: the binary log knows tables by it",
          "Correct source.url");
    }
    if (database.isEmpty()) {
      problem(
          "there is no database " + server.database() + ", or this user may not see it",
          "the name of a database, which is case-sensitive",
          "Correct source.url, or grant SELECT on that database");
    }
    if (!grants.has("PROCESS")) {
      problem(
          "its user lacks PROCESS",
          "that right, by which a table is told from another one that gets its name while it is"
              + " loaded",
          grant("PROCESS"));
    }
    return problems;
  }

  private void version() {
    String version = variables.getOrDefault("version", "");
    Matcher numbers = VERSION.matcher(version);
    boolean known =
        version.contains("MariaDB")
            && numbers.matches()
            && Arrays.compare(
                    new int[] {
                      Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))
                    },
                    new int[] {FIRST_MAJOR, FIRST_MINOR})
                >= 0;
    if (!known) {
      problem(
          "it is version " + version,
          "MariaDB %d.%d or newer; MySQL is not supported yet".formatted(FIRST_MAJOR, FIRST_MINOR),
          "Upgrade the server");
    } else if (!variables.containsKey("server_uid")) {
      problem(
          "it is version " + version + ", which has no server_uid",
          "a server that can be told from others: 10.11.9, 11.1.6, 11.2.5, 11.4.3 or newer",
          "Upgrade the server");
    }
  }

  /** What prevents the capture of changes. */
  List<Problem> problemsOfCapture() throws SQLException {
    problems.clear();
    setting("log_bin", "ON", "changes are read from the binary log", "log_bin = mariadb-bin");
    setting(
        "binlog_format",
        "ROW",
        "other formats log statements, whose rows nobody else knows",
        "binlog_format = ROW");
    setting("binlog_row_image", "FULL", "changes need whole rows", "binlog_row_image = FULL");
    setting(
        "binlog_row_metadata",
        "FULL",
        "the log then names columns, their keys and character sets",
        "binlog_row_metadata = FULL");
    if (replicates()) {
      setting(
          "log_slave_updates",
          "ON",
          "it replicates, and logs what it gets only then",
          "log_slave_updates = ON");
    }
    for (String right : RIGHTS) {
      if (!grants.has(right)) {
        problem("its user lacks " + right, "that right, to read the binary log", grant(right));
      }
    }
    grants
        .cannotReadLog()
        .ifPresent(
            plugin ->
                problem(
                    "its user logs in by " + plugin + ", by which the binary log cannot be read",
                    "a user with a plain password (mysql_native_password)",
                    "Run as an administrator: ALTER USER %s IDENTIFIED VIA mysql_native_password USING PASSWORD('…');"
                        .formatted(server.endpoint().user())));
    if (grants.has("BINLOG MONITOR")) {
      leftOut();
    }
    return problems;
  }

  /** Whether it gets changes from another server, as a replica or in a cluster. */
  private boolean replicates() throws SQLException {
    return !variables.getOrDefault("gtid_slave_pos", "").isEmpty()
        || variables.getOrDefault("wsrep_on", "OFF").equalsIgnoreCase("ON")
        || query
            .row("SHOW GLOBAL STATUS LIKE 'Slaves_running'")
            .filter(row -> !row[1].equals("0"))
            .isPresent();
  }

  /** Databases that the server does not log. */
  private void leftOut() throws SQLException {
    Optional<String[]> status = query.row("SHOW MASTER STATUS");
    if (status.isEmpty()) {
      return;
    }
    String only = status.get()[2] == null ? "" : status.get()[2];
    String ignored = status.get()[3] == null ? "" : status.get()[3];
    boolean logged = (only.isEmpty() || names(only)) && !names(ignored);
    if (!logged) {
      problem(
          "changes of database %s are not logged: binlog_do_db '%s', binlog_ignore_db '%s'"
              .formatted(server.database(), only, ignored),
          "a binary log with all changes of the database",
          "Remove these settings from the server's configuration, and restart it");
    }
  }

  private boolean names(String list) {
    return Arrays.asList(list.split(",")).contains(server.database());
  }

  /** Remarks that do not stop the task. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    String seconds = variables.getOrDefault("binlog_expire_logs_seconds", "0");
    if (!seconds.equals("0") && Long.parseLong(seconds) < DAY_SECONDS) {
      notes.add(
          ("binlog_expire_logs_seconds is %s: after a stop that is longer, the log that the task"
                  + " needs may be gone, and its tables must be loaded again")
              .formatted(seconds));
    }
    if (!grants.has("RELOAD")) {
      notes.add(
          "its user lacks RELOAD, so commits cannot be held back for the moment in which snapshots"
              + " begin; on a busy server the load may then read with fewer sessions at once");
    }
    if (!grants.has("BINLOG ADMIN")) {
      notes.add(
          "its user lacks BINLOG ADMIN, without which the server lets go of a table only at the end"
              + " of the load: statements that alter or truncate one wait for it, once it was"
              + " read");
    }
    if (!variables.getOrDefault("sql_mode", "").contains("NO_ZERO_DATE")) {
      notes.add(
          "sql_mode lacks NO_ZERO_DATE: a date such as 0000-00-00, which PostgreSQL does not have,"
              + " stops the task where it comes");
    }
    return notes;
  }

  private void setting(String name, String expected, String why, String line) {
    String found = variables.get(name);
    if (found != null && !found.equalsIgnoreCase(expected)) {
      problem(
          name + " is " + found,
          name + " " + expected + ", since " + why,
          "Write \""
              + line
              + "\" into section [mariadb] of the server's configuration, and restart it");
    }
  }

  private String grant(String right) {
    return "Run as an administrator: GRANT %s ON *.* TO the user %s;"
        .formatted(right, server.endpoint().user());
  }

  private void problem(String found, String expected, String fix) {
    problems.add(new Problem("source " + server, found, expected, fix));
  }
}
