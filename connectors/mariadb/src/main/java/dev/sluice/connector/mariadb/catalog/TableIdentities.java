package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.comparison.mariadb.FileName;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Distinguishes a table from a later one with the same name, by the ids that InnoDB gave to it and
 * its partitions. They change if the table is rebuilt, truncated or re-created; a rename keeps
 * them. Needs the right PROCESS. Stateless.
 */
public final class TableIdentities {
  private static final String IDENTITY =
      """
      SELECT coalesce(min(t.TABLE_ID), 0), coalesce(sum(t.TABLE_ID), 0), count(*)
      FROM information_schema.%s t
      CROSS JOIN (SELECT CAST(? AS BINARY) AS name) n
      WHERE CAST(t.NAME AS BINARY) = n.name
        OR left(CAST(t.NAME AS BINARY), length(n.name) + 3)
          IN (concat(n.name, '#P#'), concat(n.name, '#p#'))
      """;

  private TableIdentities() {}

  /** The identity of a table; empty if InnoDB has none of that name. */
  public static Optional<Long> of(Connection connection, TableId table) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    String[] found =
        query
            .row(IDENTITY.formatted(query.flavour().innodbTables()), FileName.of(table))
            .orElseThrow();
    return found[2].equals("0")
        ? Optional.empty()
        : Optional.of(31 * Long.parseLong(found[0]) + Long.parseLong(found[1]));
  }
}
