package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Something of the target that has the name of a table to be made. Immutable.
 *
 * @param kind as the catalog has it: {@code BASE TABLE}
 * @param ordinary whether it is a table that DROP TABLE drops, and nothing else
 * @param comment that it carries
 * @param triggers their names; they would go with the table
 */
public record FoundTable(
    TableId table, String kind, boolean ordinary, String comment, List<String> triggers) {
  public FoundTable {
    triggers = List.copyOf(triggers);
  }

  /**
   * The ordinary tables that a query finds, without their triggers. Ends the open transaction.
   *
   * @param query for schema, name and comment
   * @param kind as the catalog has it
   */
  public static List<FoundTable> commented(TargetConnection connection, String query, String kind)
      throws SQLException {
    List<FoundTable> tables = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        TableId table = new TableId(row.getString(1), row.getString(2));
        tables.add(new FoundTable(table, kind, true, row.getString(3), List.of()));
      }
    }
    connection.rollback();
    return tables;
  }

  /**
   * The tables that reference one of these tables, and are another one, by the referenced one.
   *
   * @param query for schema and name of the referenced table, and then of the one that references
   *     it
   */
  public static Map<TableId, Set<TableId>> references(
      PreparedStatement query, Collection<TableId> tables) throws SQLException {
    Map<TableId, Set<TableId>> references = new HashMap<>();
    try (ResultSet row = query.executeQuery()) {
      while (row.next()) {
        TableId referenced = new TableId(row.getString(1), row.getString(2));
        TableId referencing = new TableId(row.getString(3), row.getString(4));
        if (tables.contains(referenced) && !referencing.equals(referenced)) {
          references.computeIfAbsent(referenced, key -> new HashSet<>()).add(referencing);
        }
      }
    }
    return references;
  }
}
