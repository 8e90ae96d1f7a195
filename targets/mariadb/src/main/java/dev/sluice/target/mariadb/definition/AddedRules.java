package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.load.target.AddedTables;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.catalog.MariadbColumnFit;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Which tables are created on the target when the source gets them while the task runs. Owned by
 * the connection's thread.
 */
record AddedRules(ServerKind server, TargetConnection connection) implements AddedTables.Rules {

  @Override
  public String label() {
    return server.label();
  }

  @Override
  public TableOutline outline(TableDefinition definition, TableId table) {
    return Outlines.of(definition, table);
  }

  @Override
  public Optional<String> objection(TableOutline outline) throws SQLException {
    return outline.table().schema().equals(connection.jdbc().getCatalog())
        ? Optional.empty()
        : Optional.of(
            "source table %s would become %s, and a task writes only to the database of target.url. Rename its schema by a rule, or exclude it"
                .formatted(outline.source(), outline.table()));
  }

  @Override
  public boolean fits(OutlinedColumn column, TableOutline outline, TargetTable found) {
    Column source =
        new Column(
            column.name(), column.type(), !column.notNull(), outline.key().contains(column.name()));
    return !(new MariadbColumnFit(server)
            .of(source, found, found.column(column.name()).orElseThrow())
        instanceof ColumnFit.Verdict.Unfit);
  }
}
