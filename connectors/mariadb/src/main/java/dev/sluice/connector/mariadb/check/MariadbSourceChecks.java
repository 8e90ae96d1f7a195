package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ReplicatedChanges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The checks that only MariaDB needs. Used once, by one thread. */
final class MariadbSourceChecks extends BinlogSourceChecks {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");
  private static final int FIRST_MAJOR = 10;
  private static final int FIRST_MINOR = 11;

  MariadbSourceChecks(MariadbServer server, MariadbQuery query) throws SQLException {
    super(server, query);
  }

  @Override
  void version() {
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
          "MariaDB %d.%d or newer".formatted(FIRST_MAJOR, FIRST_MINOR),
          "Upgrade the server");
    } else if (!variables.containsKey("server_uid")) {
      problem(
          "it is version " + version + ", which has no server_uid",
          "a server that can be distinguished from others: 10.11.9, 11.1.6, 11.2.5, 11.4.3 or newer",
          "Upgrade the server");
    }
  }

  @Override
  void reading() {
    // SELECT and PROCESS are enough.
  }

  @Override
  void logging() {
    setting("log_bin", "ON", "changes are read from the binary log", "log_bin = mariadb-bin");
    rowsLogged();
  }

  @Override
  void login() {
    grants
        .cannotReadLog()
        .ifPresent(
            plugin ->
                problem(
                    "its user logs in by " + plugin + ", by which the binary log cannot be read",
                    "a user with a plain password (mysql_native_password)",
                    "Run as an administrator: ALTER USER %s IDENTIFIED VIA mysql_native_password USING PASSWORD('…');"
                        .formatted(server.endpoint().user())));
  }

  @Override
  boolean replicates() throws SQLException {
    return ReplicatedChanges.reach(query);
  }

  @Override
  boolean deletesLogs() {
    return true;
  }

  @Override
  List<String> ownNotes() {
    List<String> notes = new ArrayList<>(OpenPassword.note(server.endpoint()).stream().toList());
    if (!grants.has("RELOAD")) {
      notes.add(
          "its user lacks RELOAD, so commits cannot be held back for the moment in which snapshots begin; on a busy server the load may then read with fewer parallel sessions");
    }
    if (!grants.has("BINLOG ADMIN")) {
      notes.add(
          "its user lacks BINLOG ADMIN, without which the server lets go of a table only at the end"
              + " of the load: statements that alter or truncate one wait for it, once it was"
              + " read");
    }
    return notes;
  }

  @Override
  String statusRight() {
    return "BINLOG MONITOR";
  }

  @Override
  String toSet(String line) {
    return "Write \""
        + line
        + "\" into section [mariadb] of the server's configuration, and restart it";
  }
}
