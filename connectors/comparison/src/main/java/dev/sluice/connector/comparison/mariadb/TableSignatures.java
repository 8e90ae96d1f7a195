package dev.sluice.connector.comparison.mariadb;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * The signature of each table from InnoDB's dictionary: its id, which changes if it is truncated,
 * rebuilt or re-created, and a checksum of its columns, which changes if one is added, dropped,
 * renamed or extended in place. A snapshot shows the rows of the table that has the name at the
 * time of the read, which may be another table. Only equal signatures before the snapshot and after
 * the read prove that it was the same table. Immutable.
 *
 * @see <a href="https://mariadb.com/docs/server/reference/system-tables/information-schema">the
 *     tables INNODB_SYS_TABLES and INNODB_SYS_COLUMNS</a>; they need the right PROCESS
 * @param query for the signatures of tables whose names have a common beginning
 */
public record TableSignatures(String query, Map<String, String> byFile) {
  private static final String OF_TABLES =
      """
      SELECT substring_index(substring_index(CAST(t.NAME AS BINARY), '#P#', 1), '#p#', 1),
        concat_ws('/', sum(t.TABLE_ID), count(DISTINCT t.TABLE_ID), min(t.TABLE_ID),
          sum(crc32(concat_ws('/', c.NAME, c.POS, c.MTYPE, c.PRTYPE, c.LEN))))
      FROM information_schema.%s t
      LEFT JOIN information_schema.%s c ON c.TABLE_ID = t.TABLE_ID
      WHERE left(CAST(t.NAME AS BINARY), length(CAST(? AS BINARY))) = CAST(? AS BINARY)
      GROUP BY 1
      """;

  public TableSignatures {
    byFile = Map.copyOf(byFile);
  }

  /**
   * The signatures of all tables of a database.
   *
   * @param tables the name of the view of InnoDB's tables
   * @param columns the name of the view of their columns
   */
  public static TableSignatures ofAll(
      Connection connection, String database, String tables, String columns) throws SQLException {
    String query = OF_TABLES.formatted(tables, columns);
    return new TableSignatures(query, read(connection, query, FileName.of(database) + "/"));
  }

  /** Whether a table had a signature then and has the same one now. */
  boolean isStill(Connection connection, TableId table) throws SQLException {
    String file = FileName.of(table);
    String then = byFile.get(file);
    return then != null && then.equals(read(connection, query, file).get(file));
  }

  private static Map<String, String> read(Connection connection, String query, String beginning)
      throws SQLException {
    Map<String, String> found = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, beginning);
      statement.setString(2, beginning);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.put(row.getString(1), row.getString(2));
        }
      }
    }
    return found;
  }
}
