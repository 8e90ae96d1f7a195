package dev.sluice.connector.generic.database;

import dev.sluice.connector.generic.catalog.JdbcServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A place of MariaDB's binary log and the transactions up to it. After a RESET MASTER, and on a
 * server that was restored, files and transactions are numbered from one again, so numbers that are
 * high enough prove nothing: what a log has at a place does. Immutable.
 *
 * @param transactions the last one of each domain and server, as the server tells them
 */
record BinlogPlace(String file, long offset, String transactions) {

  /** Where the log ends; empty if the server does not say what it has there. */
  static Optional<BinlogPlace> end(Connection session) throws SQLException {
    List<String[]> rows = JdbcServer.rows(session, "SHOW MASTER STATUS");
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    String file = rows.get(0)[0];
    long offset = Long.parseLong(rows.get(0)[1]);
    return at(session, file, offset);
  }

  /** A place; empty if the log has none there. */
  static Optional<BinlogPlace> at(Connection session, String file, long offset)
      throws SQLException {
    return Optional.ofNullable(transactions(session, file, offset))
        .map(found -> new BinlogPlace(file, offset, found));
  }

  String text() {
    return "%s\n%d\n%s".formatted(file, offset, transactions);
  }

  static BinlogPlace parse(String text) {
    String[] parts = text.split("\n", 3);
    return new BinlogPlace(parts[0], Long.parseLong(parts[1]), parts[2]);
  }

  /**
   * What the server's log has instead of this place. A file that was purged proves nothing.
   *
   * @return empty if nothing else is known to be there
   */
  Optional<String> otherwise(Connection session) throws SQLException {
    Optional<String> missing = missing(session, file, offset);
    if (missing.isPresent() || size(session, file).isEmpty()) {
      return missing;
    }
    String now = transactions(session, file, offset);
    return now != null && set(now).equals(set(transactions))
        ? Optional.empty()
        : Optional.of(
            "its binary log has the transactions '%s' up to %s:%d, and had '%s'"
                .formatted(now == null ? "" : now, file, offset, transactions));
  }

  /** Why a log is too short for a place; empty if it is not, or if the place may be purged. */
  static Optional<String> missing(Connection session, String file, long offset)
      throws SQLException {
    List<String[]> files = JdbcServer.rows(session, "SHOW BINARY LOGS");
    if (files.isEmpty()) {
      return Optional.empty();
    }
    String last = files.get(files.size() - 1)[0];
    boolean ends = base(last).equals(base(file)) && number(last) < number(file);
    boolean shorter =
        files.stream().anyMatch(row -> row[0].equals(file) && Long.parseLong(row[1]) < offset);
    return ends || shorter
        ? Optional.of(
            "its binary log ends at %s:%s, before %s:%d"
                .formatted(last, files.get(files.size() - 1)[1], file, offset))
        : Optional.empty();
  }

  private static Optional<String> size(Connection session, String file) throws SQLException {
    return JdbcServer.rows(session, "SHOW BINARY LOGS").stream()
        .filter(row -> row[0].equals(file))
        .map(row -> row[1])
        .findFirst();
  }

  /** Null if the log has no such place. */
  private static String transactions(Connection session, String file, long offset)
      throws SQLException {
    try (PreparedStatement question = session.prepareStatement("SELECT BINLOG_GTID_POS(?, ?)")) {
      question.setString(1, file);
      question.setLong(2, offset);
      try (ResultSet row = question.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  /** Domains have no order in what the server tells. */
  static Set<String> set(String list) {
    Set<String> found = new TreeSet<>();
    Arrays.stream(list.split(",")).map(String::strip).forEach(found::add);
    return found;
  }

  private static String base(String file) {
    return file.substring(0, file.lastIndexOf('.') + 1);
  }

  private static long number(String file) {
    return Long.parseLong(file.substring(file.lastIndexOf('.') + 1));
  }
}
