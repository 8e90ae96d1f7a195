package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.load.target.AddedTables;
import dev.sluice.load.target.DroppedTables;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.catalog.MariadbDefinitions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Changes definitions before the window that contains the change, since DDL commits. Owned by the
 * connection's thread.
 */
public final class CommittedDefinitions extends MariadbDefinitions {
  private final ServerKind server;
  private final AddedTables added;
  private final ChangedTables altered;
  private final DroppedTables dropped;

  public CommittedDefinitions(ServerKind server, TargetConnection connection) {
    super(server, connection);
    this.server = server;
    MariadbTableMaking making = new MariadbTableMaking(server);
    this.added = new AddedTables(connection, making, new AddedRules(server, connection));
    this.altered = new ChangedTables(server, connection);
    this.dropped = new DroppedTables(connection, making);
  }

  @Override
  public boolean madeApart(TableDefinition definition, TableId table, Optional<TaskMark> mark)
      throws SQLException {
    if (mark.isEmpty() || definition.partition() != null) {
      throw refused(server, "create table " + table);
    }
    added.require(definition, table, mark.get());
    return true;
  }

  @Override
  public boolean changedApart(ApartChange change) throws SQLException {
    if (change.now() == null) {
      dropped.require(change);
    } else {
      altered.require(change);
    }
    return true;
  }
}
