package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Facts about tables by which MySQL's log shows more than MariaDB's. Immutable.
 *
 * @param foreignKeys the foreign keys of the database; the log has the rows that they change
 * @param ofInnodb the tables of InnoDB: the log shows whether a statement created one of them
 */
public record MysqlTables(List<MariadbForeignKey> foreignKeys, Set<TableId> ofInnodb) {
  private static final MysqlTables NONE = new MysqlTables(List.of(), Set.of());

  private static final String OF_INNODB =
      "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND ENGINE = 'InnoDB'";

  public MysqlTables {
    foreignKeys = List.copyOf(foreignKeys);
    ofInnodb = Set.copyOf(ofInnodb);
  }

  /** Reads them for a database; none if the server is MariaDB. */
  public static MysqlTables read(Connection connection, String database) throws SQLException {
    if (Flavour.of(connection) != Flavour.MYSQL) {
      return NONE;
    }
    return new MysqlTables(
        MariadbForeignKey.read(connection, database),
        new MariadbQuery(connection)
            .rows(OF_INNODB, database).stream()
                .map(row -> new TableId(database, row[0]))
                .collect(Collectors.toSet()));
  }
}
