package dev.sluice.connector.mariadb.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The XA transactions that are prepared and neither committed nor rolled back. The binary log has
 * the changes of one at the place of its PREPARE: a capture that begins after that place gets only
 * its commit. Immutable.
 *
 * @param ids as a statement names them
 */
public record PreparedTransactions(List<String> ids) {
  /** ER_XAER_RMERR, MySQL's answer to a user without the right XA_RECOVER_ADMIN. */
  private static final int MAY_NOT_ASK_MYSQL = 1401;

  public PreparedTransactions {
    ids = List.copyOf(ids);
  }

  /** The transactions of the complete server; empty if the user has no right to see them. */
  public static Optional<PreparedTransactions> read(Connection connection) throws SQLException {
    try {
      MariadbQuery query = new MariadbQuery(connection);
      return Optional.of(
          new PreparedTransactions(
              query.flavour() == Flavour.MARIADB
                  ? query.rows("XA RECOVER FORMAT = 'SQL'").stream().map(row -> row[3]).toList()
                  : query.rows("XA RECOVER CONVERT XID").stream()
                      .map(PreparedTransactions::inSql)
                      .toList()));
    } catch (SQLException e) {
      if (!MariadbFailures.isMissingRight(e) && e.getErrorCode() != MAY_NOT_ASK_MYSQL) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /**
   * The id, as a statement names it.
   *
   * @param row format, bytes of the first part, bytes of the second, both in hexadecimal
   */
  private static String inSql(String[] row) {
    String parts = row[3].substring(2);
    int first = 2 * Integer.parseInt(row[1]);
    return "X'%s',X'%s',%s".formatted(parts.substring(0, first), parts.substring(first), row[0]);
  }

  public boolean isEmpty() {
    return ids.isEmpty();
  }

  /** For messages. */
  @Override
  public String toString() {
    return String.join("; ", ids);
  }
}
