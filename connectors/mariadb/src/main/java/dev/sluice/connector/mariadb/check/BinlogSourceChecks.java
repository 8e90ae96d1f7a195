package dev.sluice.connector.mariadb.check;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.comparison.mariadb.ClusterMember;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Checks version, settings and rights. Used once, by one thread. */
abstract sealed class BinlogSourceChecks permits MariadbSourceChecks, MysqlSourceChecks {
  private static final long DAY_SECONDS = 24 * 60 * 60;

  final MariadbServer server;
  final MariadbQuery query;
  final Map<String, String> variables;
  final Grants grants;
  private final Optional<ClusterMember> cluster;
  private final List<Problem> problems = new ArrayList<>();

  BinlogSourceChecks(MariadbServer server, MariadbQuery query) throws SQLException {
    this.server = server;
    this.query = query;
    this.variables = query.variables();
    this.grants = Grants.read(query);
    this.cluster = query.cluster();
  }

  /** The checks for the server that answers. */
  static BinlogSourceChecks of(MariadbServer server, MariadbQuery query) throws SQLException {
    return query.flavour() == Flavour.MARIADB
        ? new MariadbSourceChecks(server, query)
        : new MysqlSourceChecks(server, query);
  }

  /** The problems that prevent any reading of tables. */
  final List<Problem> problemsOfReading() throws SQLException {
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
          "that right, by which a table is distinguished from another one that gets its name while it is"
              + " loaded",
          grant("PROCESS"));
    }
    cluster.ifPresent(member -> problems.addAll(member.problems("source " + server)));
    reading();
    return List.copyOf(problems);
  }

  /** The problems that prevent the capture of changes. */
  final List<Problem> problemsOfCapture() throws SQLException {
    problems.clear();
    logging();
    if (replicates()) {
      setting(
          "log_slave_updates",
          "ON",
          "it replicates, and logs what it gets only then",
          "log_slave_updates = ON");
    }
    for (String right : List.of("REPLICATION SLAVE", statusRight())) {
      if (!grants.has(right)) {
        problem("its user lacks " + right, "that right, to read the binary log", grant(right));
      }
    }
    login();
    if (grants.has(statusRight())) {
      leftOut();
    }
    return List.copyOf(problems);
  }

  /**
   * Remarks that do not stop the task.
   *
   * @param values for values that PostgreSQL does not have
   */
  final List<String> notes(ValuePolicy values) {
    List<String> notes = new ArrayList<>();
    String seconds = variables.getOrDefault("binlog_expire_logs_seconds", "0");
    if (deletesLogs() && !seconds.equals("0") && Long.parseLong(seconds) < DAY_SECONDS) {
      notes.add(
          ("binlog_expire_logs_seconds is %s: after a stop that is longer, the log that the task"
                  + " needs may be gone, and its tables must be loaded again")
              .formatted(seconds));
    }
    String flushed = variables.getOrDefault("sync_binlog", "1");
    if (!flushed.equals("1")) {
      notes.add(
          ("sync_binlog is %s: a crash of the source's machine may take the end of its log. A task"
                  + " that has read it is refused then. Changes that it has not read, and that the"
                  + " tables keep, are in no log: only sluice validate finds them. With sync_binlog"
                  + " = 1 neither can happen")
              .formatted(flushed));
    }
    notes.addAll(ownNotes());
    cluster.map(BinlogSourceChecks::note).ifPresent(notes::add);
    if (!values.makesNulls() && !variables.getOrDefault("sql_mode", "").contains("NO_ZERO_DATE")) {
      notes.add(
          ("sql_mode lacks NO_ZERO_DATE: a date such as 0000-00-00, which PostgreSQL does not have,"
                  + " stops the task where it comes, unless the task file has source.%s: to-null."
                  + " Only columns with an index were searched for one")
              .formatted(ValuePolicy.ZERO_DATES));
    }
    return notes;
  }

  static String note(ClusterMember member) {
    return "the source is %s, which was never tried. The positions of its log are its own: name this one member in source.url, and load again to leave it. Locks of tables hold on this member alone, and so does a quiet period: before a cutover stop the writers of every member, and wait until this one has applied what they wrote"
        .formatted(member.words());
  }

  /** Finds a release that cannot be a source. */
  abstract void version();

  /** Finds other problems that prevent any reading. */
  abstract void reading() throws SQLException;

  /** Finds settings because of which the log lacks what the capture needs. */
  abstract void logging();

  /** Checks that the log has whole rows, with the names of their columns. */
  final void rowsLogged() {
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
  }

  /** Finds a login with which the log cannot be read. */
  abstract void login();

  /** Whether it gets changes from another server, as a replica or in a cluster. */
  abstract boolean replicates() throws SQLException;

  /** Whether it deletes old files of the log by itself. */
  abstract boolean deletesLogs();

  abstract List<String> ownNotes();

  /** The right to ask for the files of the log. */
  abstract String statusRight();

  /** How an operator sets a line of the configuration. */
  abstract String toSet(String line);

  /**
   * Finds rules by which the server logs only some databases. For rows the database of their table
   * counts, for statements the default database of the session: a TRUNCATE may be missing in the
   * log although the rows of its table are there.
   */
  private void leftOut() throws SQLException {
    Optional<String[]> status = query.row(query.flavour().logStatus());
    if (status.isEmpty()) {
      return;
    }
    String only = Objects.requireNonNullElse(status.get()[2], "");
    String ignored = Objects.requireNonNullElse(status.get()[3], "");
    if (!only.isEmpty() || !ignored.isEmpty()) {
      problem(
          "it logs some databases only: binlog_do_db '%s', binlog_ignore_db '%s'"
              .formatted(only, ignored),
          "neither, since TRUNCATE, DROP and ALTER of a table of %s are judged by the database that a session uses, and may be missing in the log"
              .formatted(server.database()),
          "Remove these settings from the server's configuration, and restart it");
    }
  }

  final void setting(String name, String expected, String why, String line) {
    String found = variables.get(name);
    if (found != null && !found.equalsIgnoreCase(expected)) {
      problem(
          name + " is " + found,
          (name + " " + (expected.isEmpty() ? "''" : expected)) + ", since " + why,
          toSet(line));
    }
  }

  String grant(String right) {
    return "Run as an administrator: GRANT %s ON *.* TO the user %s;"
        .formatted(right, server.endpoint().user());
  }

  final void problem(String found, String expected, String fix) {
    problems.add(new Problem("source " + server, found, expected, fix));
  }
}
