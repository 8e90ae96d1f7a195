package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.load.target.FoundTable;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads from the catalog of MariaDB or MySQL what has the name of a table. Stateless, threadsafe.
 */
final class MariadbFoundTables {
  private static final String FIND =
      "SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

  private static final String ORDINARY = "BASE TABLE";

  private static final String COMMENTED =
      "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_COMMENT FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = '"
          + ORDINARY
          + "' AND TABLE_COMMENT <> '' ORDER BY TABLE_NAME";

  private static final String REFERENCING =
      "SELECT DISTINCT REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, TABLE_SCHEMA, TABLE_NAME"
          + " FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_SCHEMA = ?";

  private static final String TRIGGERS =
      "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS"
          + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? ORDER BY TRIGGER_NAME";

  private MariadbFoundTables() {}

  /**
   * What has that name; empty if nothing has. The catalog compares names without regard to case, so
   * the name is compared again.
   */
  static Optional<FoundTable> find(TargetConnection connection, TableId table) throws SQLException {
    Optional<FoundTable> found = Optional.empty();
    try (PreparedStatement statement = prepare(connection, FIND, table);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        if (row.getString(1).equals(table.name())) {
          found =
              Optional.of(
                  new FoundTable(
                      table,
                      row.getString(2),
                      row.getString(2).equals(ORDINARY),
                      row.getString(3),
                      List.of()));
        }
      }
    }
    if (found.isEmpty()) {
      return found;
    }
    List<String> triggers = new ArrayList<>();
    try (PreparedStatement statement = prepare(connection, TRIGGERS, table);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        triggers.add(row.getString(1));
      }
    }
    FoundTable plain = found.get();
    return Optional.of(
        new FoundTable(table, plain.kind(), plain.ordinary(), plain.comment(), triggers));
  }

  private static PreparedStatement prepare(TargetConnection connection, String sql, TableId table)
      throws SQLException {
    PreparedStatement statement = connection.jdbc().prepareStatement(sql);
    statement.setString(1, table.schema());
    statement.setString(2, table.name());
    return statement;
  }

  /**
   * The tables with foreign keys that reference one of these tables, by the referenced one. Ends
   * the open transaction.
   */
  static Map<TableId, Set<TableId>> references(
      TargetConnection connection, Collection<TableId> tables) throws SQLException {
    Map<TableId, Set<TableId>> references = new HashMap<>();
    for (String schema : tables.stream().map(TableId::schema).collect(Collectors.toSet())) {
      try (PreparedStatement statement = connection.jdbc().prepareStatement(REFERENCING)) {
        statement.setString(1, schema);
        references.putAll(FoundTable.references(statement, tables));
      }
    }
    connection.rollback();
    return references;
  }

  /** The tables of the session's database with a comment. Ends the open transaction. */
  static List<FoundTable> commented(TargetConnection connection) throws SQLException {
    return FoundTable.commented(connection, COMMENTED, ORDINARY);
  }
}
