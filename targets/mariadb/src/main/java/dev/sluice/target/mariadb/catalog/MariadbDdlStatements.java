package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.RefusedDdlStatements;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.List;

/**
 * DDL on MariaDB, which commits the open transaction. So none runs in a window; the statements made
 * here only name the refused change in the message. Stateless, threadsafe.
 */
public final class MariadbDdlStatements extends RefusedDdlStatements {
  private final ServerKind server;

  public MariadbDdlStatements(ServerKind server) {
    super(change -> MariadbDefinitions.refused(server, change));
    this.server = server;
  }

  @Override
  public List<String> addColumn(TableId table, Column column, String existing) {
    return List.of(
        alter(
            table,
            "ADD COLUMN %s %s NULL"
                .formatted(TableId.quote(column.name()), MariadbTypes.of(server, column.type()))));
  }

  @Override
  public String dropColumn(TableId table, String column) {
    return alter(table, "DROP COLUMN " + TableId.quote(column));
  }

  @Override
  public String renameColumn(TableId table, String column, String name) {
    return alter(
        table, "RENAME COLUMN %s TO %s".formatted(TableId.quote(column), TableId.quote(name)));
  }

  private static String alter(TableId table, String action) {
    return "ALTER TABLE " + table.quoted() + " " + action;
  }
}
