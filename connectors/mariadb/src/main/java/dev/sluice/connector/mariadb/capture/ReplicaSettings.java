package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** What a server must be set to, so that its log can stand for that of another one. Stateless. */
final class ReplicaSettings {
  private static final List<String> FILTERS =
      List.of(
          "replicate_do_db",
          "replicate_do_table",
          "replicate_ignore_db",
          "replicate_ignore_table",
          "replicate_wild_do_table",
          "replicate_wild_ignore_table");

  private ReplicaSettings() {}

  /** The first setting by which transactions may be missing in the log. */
  static Optional<Problem> problem(MariadbQuery query) throws SQLException {
    if (value(query, "log_slave_updates").equals("0")) {
      return Optional.of(
          problem(
              "log_slave_updates is OFF: its log lacks what it replicated",
              "log_slave_updates = ON, since before the change of the primary"));
    }
    for (String filter : FILTERS) {
      String value = value(query, filter);
      if (!value.isEmpty()) {
        return Optional.of(
            problem("%s = %s".formatted(filter, value), "a server that replicated everything"));
      }
    }
    Optional<String[]> status = query.row(query.flavour().logStatus());
    if (status.isPresent() && !(status.get()[2] + status.get()[3]).isEmpty()) {
      return Optional.of(
          problem("binlog_do_db or binlog_ignore_db is set", "a log with all databases"));
    }
    return Optional.empty();
  }

  private static String value(MariadbQuery query, String setting) throws SQLException {
    String value = query.row("SELECT @@global." + setting).orElseThrow()[0];
    return value == null ? "" : value;
  }

  /** A problem of the server that is to stand for the former one. */
  static Problem problem(String found, String expected) {
    return new Problem(
        "source, if it is a replica of the former one",
        found,
        expected,
        "Let source.url lead to a server that has all transactions of the former one");
  }
}
