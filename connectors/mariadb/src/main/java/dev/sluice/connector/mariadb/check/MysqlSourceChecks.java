package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.MysqlRelease;
import dev.sluice.connector.mariadb.server.ReplicatedChanges;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The checks that only MySQL needs. Used once, by one thread. */
final class MysqlSourceChecks extends BinlogSourceChecks {
  /** Authentication plugins that the reader of the binary log supports. */
  private static final Set<String> READS_LOG =
      Set.of("caching_sha2_password", "mysql_native_password");

  private static final String AGAIN =
      " Sessions that are open keep the old value: let the applications connect again";

  private static final List<String> OF_DATABASE = List.of("SELECT", "LOCK TABLES");

  private final MysqlRelease release;

  MysqlSourceChecks(MariadbServer server, MariadbQuery query) throws SQLException {
    super(server, query);
    this.release = MysqlRelease.of(variables);
  }

  @Override
  void version() {
    Optional<String> other = release.otherProduct();
    if (other.isPresent()) {
      problem(
          "it is " + other.get() + ", which is not MySQL",
          "a server of MySQL, with its binary log",
          "Correct source.url, or migrate this database with another tool");
    } else if (!release.isSupported()) {
      problem(
          "it is version " + release.version(),
          "MySQL %s or newer".formatted(MysqlRelease.first()),
          "Upgrade the server; or make a replica of it with a newer release the source, if no"
              + " foreign key has CASCADE or SET NULL: a replica does not log what they change");
    }
  }

  @Override
  void reading() {
    for (String right : OF_DATABASE) {
      if (!grants.has(right, server.database())) {
        problem(
            "its user lacks %s for database %s".formatted(right, server.database()),
            right.equals("SELECT")
                ? "that right: a snapshot locks all tables for a moment, to be exact"
                : "that right: a snapshot is exact only if nobody writes in the moment in which it"
                    + " begins",
            "Run as an administrator: GRANT %s ON `%s`.* TO the user %s;%s"
                .formatted(right, server.database(), server.endpoint().user(), roles()));
      }
    }
  }

  @Override
  void logging() {
    setting("log_bin", "ON", "changes are read from the binary log", "log_bin = mysql-bin");
    if (variables.getOrDefault("server_id", "").equals("0")) {
      problem(
          "server_id is 0, and a server with this number sends its binary log to no replica",
          "a number that no other server has that replicates with it",
          "Run as an administrator: SET PERSIST server_id = 1; or another free number");
    }
    rowsLogged();
    setting(
        "binlog_row_value_options",
        "",
        "the log then has whole JSON documents, and not parts of them",
        "binlog_row_value_options = ''");
    setting(
        "binlog_transaction_compression",
        "OFF",
        "compressed transactions are not read",
        "binlog_transaction_compression = OFF");
  }

  @Override
  void login() {
    List<String> unknown =
        grants.logins().stream().filter(plugin -> !READS_LOG.contains(plugin)).toList();
    if (!unknown.isEmpty()) {
      problem(
          "its user logs in by %s, by which the binary log cannot be read"
              .formatted(String.join(" and ", unknown)),
          "a user with a password alone (caching_sha2_password)",
          "Run as an administrator: ALTER USER %s IDENTIFIED WITH caching_sha2_password BY '…';"
              .formatted(server.endpoint().user()));
    }
  }

  @Override
  boolean replicates() throws SQLException {
    return grants.has(statusRight()) && ReplicatedChanges.reach(query);
  }

  @Override
  boolean deletesLogs() {
    return !variables.getOrDefault("binlog_expire_logs_auto_purge", "ON").equalsIgnoreCase("OFF");
  }

  @Override
  List<String> ownNotes() {
    return release.notTried().stream().toList();
  }

  @Override
  String statusRight() {
    return "REPLICATION CLIENT";
  }

  @Override
  String grant(String right) {
    return super.grant(right) + roles();
  }

  /** Advice on roles: a role that is granted but not active gives no right. */
  private String roles() {
    return grants.hasRoles()
        ? " If a role has it, make it active at each login: SET DEFAULT ROLE ALL TO the user %s;"
            .formatted(server.endpoint().user())
        : "";
  }

  @Override
  String toSet(String line) {
    return line.startsWith("log_")
        ? "Write \""
            + line
            + "\" into section [mysqld] of the server's configuration, and restart it"
        : "Run as an administrator: SET PERSIST " + line + ";" + AGAIN;
  }
}
