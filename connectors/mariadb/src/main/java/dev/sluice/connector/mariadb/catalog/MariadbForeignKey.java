package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A foreign key. Immutable.
 *
 * @param onUpdate what happens to its rows, such as {@code RESTRICT}
 * @param onDelete the same
 */
public record MariadbForeignKey(
    TableId table,
    String name,
    List<String> columns,
    TableId referenced,
    List<String> referencedColumns,
    String onUpdate,
    String onDelete) {
  private static final String ALL =
      """
      SELECT r.TABLE_NAME, r.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA,
        k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.UPDATE_RULE, r.DELETE_RULE
      FROM information_schema.REFERENTIAL_CONSTRAINTS r
      JOIN information_schema.KEY_COLUMN_USAGE k ON k.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA
        AND k.TABLE_NAME = r.TABLE_NAME AND k.CONSTRAINT_NAME = r.CONSTRAINT_NAME
      WHERE r.CONSTRAINT_SCHEMA = ?
      ORDER BY r.TABLE_NAME, r.CONSTRAINT_NAME, k.ORDINAL_POSITION
      """;

  private static final Set<String> CHANGE_ROWS = Set.of("CASCADE", "SET NULL", "SET DEFAULT");

  public MariadbForeignKey {
    columns = List.copyOf(columns);
    referencedColumns = List.copyOf(referencedColumns);
  }

  /** All foreign keys of a database. */
  public static List<MariadbForeignKey> read(Connection connection, String database)
      throws SQLException {
    Map<List<String>, List<String[]>> rows = new LinkedHashMap<>();
    for (String[] row : new MariadbQuery(connection).rows(ALL, database)) {
      rows.computeIfAbsent(List.of(row[0], row[1]), name -> new ArrayList<>()).add(row);
    }
    return rows.values().stream().map(of -> of(database, of)).toList();
  }

  private static MariadbForeignKey of(String database, List<String[]> rows) {
    String[] first = rows.get(0);
    return new MariadbForeignKey(
        new TableId(database, first[0]),
        first[1],
        rows.stream().map(row -> row[2]).toList(),
        new TableId(first[3], first[4]),
        rows.stream().map(row -> row[5]).toList(),
        first[6],
        first[7]);
  }

  /** Whether a change of the referenced row changes its rows, which the log does not show. */
  public boolean changesRows() {
    return CHANGE_ROWS.contains(onUpdate) || CHANGE_ROWS.contains(onDelete);
  }
}
