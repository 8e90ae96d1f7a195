package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rights of the session's user and its role on a table: global, on the database or on the
 * table. Rights of a role that was granted to the role are not seen. Immutable.
 *
 * @param missing those of SELECT, INSERT, UPDATE and DELETE that were not granted
 * @param seesTriggers whether it has TRIGGER, without which the catalog hides triggers
 */
public record TableRights(List<String> missing, boolean seesTriggers) {
  private static final List<String> NEEDED = List.of("SELECT", "INSERT", "UPDATE", "DELETE");

  private static final Set<String> NONE = Set.of("USAGE");

  private static final String GRANTEES =
      "GRANTEE IN (CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''',"
          + " SUBSTRING_INDEX(CURRENT_USER(), '@', -1), ''''),"
          + " CONCAT('''', COALESCE(CURRENT_ROLE(), ''), '''@'''''), COALESCE(CURRENT_ROLE(), ''))";

  /** Each right with its database; an empty text for a global right. */
  private static final String GRANTED =
      "SELECT '', PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES WHERE "
          + GRANTEES
          + " UNION SELECT TABLE_SCHEMA, PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES WHERE "
          + GRANTEES
          + " AND (TABLE_SCHEMA = ? OR ? LIKE TABLE_SCHEMA ESCAPE '\\')"
          + " UNION SELECT TABLE_SCHEMA, PRIVILEGE_TYPE FROM information_schema.TABLE_PRIVILEGES WHERE "
          + GRANTEES
          + " AND TABLE_SCHEMA = ? AND TABLE_NAME = ?";

  static TableRights read(Connection session, TableId id) throws SQLException {
    Set<String> granted = granted(session, id.schema(), id.name());
    return new TableRights(
        NEEDED.stream().filter(right -> !granted.contains(right)).toList(),
        granted.contains("TRIGGER"));
  }

  /**
   * All rights on a table.
   *
   * @param table empty for the rights on its database
   */
  public static Set<String> granted(Connection session, String database, String table)
      throws SQLException {
    Set<String> global = new HashSet<>();
    Set<String> granted = new HashSet<>();
    Set<String> byPattern = new HashSet<>();
    try (PreparedStatement statement = session.prepareStatement(GRANTED)) {
      statement.setString(1, database);
      statement.setString(2, database);
      statement.setString(3, database);
      statement.setString(4, table);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String of = row.getString(1);
          Set<String> rights = of.isEmpty() ? global : of.equals(database) ? granted : byPattern;
          rights.add(row.getString(2));
        }
      }
    }
    if (!byPattern.isEmpty() && !PartialRevokes.areOn(session)) {
      granted.addAll(byPattern);
    }
    if (!global.equals(NONE)) {
      global.removeAll(PartialRevokes.in(session, database));
    }
    granted.addAll(global);
    return granted;
  }
}
