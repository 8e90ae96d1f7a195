package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.FileName;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What InnoDB's dictionary has of each table: its number, which changes if it is truncated, rebuilt
 * or re-created, and a checksum of its columns, which changes if one is added, dropped, renamed or
 * extended in place. A snapshot shows the rows of whatever table has the name, so only equal
 * signatures from before the snapshot and after the read say that the rows are the table's.
 * Immutable.
 *
 * @see <a href="https://mariadb.com/docs/server/reference/system-tables/information-schema">the
 *     tables INNODB_SYS_TABLES and INNODB_SYS_COLUMNS</a>; they need the right PROCESS
 */
record TableSignatures(Map<String, String> byFile) {
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

  TableSignatures {
    byFile = Map.copyOf(byFile);
  }

  /** Those of all tables of a database. */
  static TableSignatures ofAll(Connection connection, String database) throws SQLException {
    Map<String, String> found = new HashMap<>();
    for (String[] row : rows(connection, FileName.of(database) + "/")) {
      found.put(row[0], row[1]);
    }
    return new TableSignatures(found);
  }

  /** Whether a table has the same signature now, and had one then. */
  boolean isStill(Connection connection, TableId table) throws SQLException {
    String file = FileName.of(table);
    String then = byFile.get(file);
    return then != null
        && rows(connection, file).stream()
            .anyMatch(row -> row[0].equals(file) && row[1].equals(then));
  }

  /** Of those whose names begin so. */
  private static List<String[]> rows(Connection connection, String beginning) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    Flavour flavour = query.flavour();
    return query.rows(
        OF_TABLES.formatted(flavour.innodbTables(), flavour.innodbColumns()), beginning, beginning);
  }
}
