package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
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
      FROM information_schema.INNODB_SYS_TABLES t
      LEFT JOIN information_schema.INNODB_SYS_COLUMNS c ON c.TABLE_ID = t.TABLE_ID
      WHERE left(CAST(t.NAME AS BINARY), length(%1$s) + %2$d) = concat(%1$s, %3$s)
      GROUP BY 1
      """;

  private static final String FILE = "CAST(convert(? USING filename) AS BINARY)";

  TableSignatures {
    byFile = Map.copyOf(byFile);
  }

  /** Those of all tables of a database. */
  static TableSignatures ofAll(Connection connection, String database) throws SQLException {
    Map<String, String> found = new HashMap<>();
    for (String[] row :
        new MariadbQuery(connection)
            .rows(OF_TABLES.formatted(FILE, 1, "'/'"), database, database)) {
      found.put(row[0], row[1]);
    }
    return new TableSignatures(found);
  }

  /** Whether a table has the same signature now, and had one then. */
  boolean isStill(Connection connection, TableId table) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    String file =
        query.row("SELECT concat(%1$s, '/', %1$s)".formatted(FILE), table.schema(), table.name())
            .orElseThrow()[0];
    String then = byFile.get(file);
    return then != null
        && query.rows(OF_TABLES.formatted("CAST(? AS BINARY)", 0, "''"), file, file).stream()
            .anyMatch(row -> row[0].equals(file) && row[1].equals(then));
  }
}
