package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.RefusedDefinitions;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.server.ServerKind;

/**
 * Definitions of tables on MariaDB: they are read, and never changed within a window. Owned by the
 * connection's thread.
 */
public class MariadbDefinitions extends RefusedDefinitions {
  private final ServerKind server;

  public MariadbDefinitions(ServerKind server, TargetConnection connection) {
    super(connection, what -> refused(server, what));
    this.server = server;
  }

  @Override
  public final boolean hasPartitions() {
    return false;
  }

  @Override
  public void makeSchema(String schema) {
    throw refused(server, "database " + schema);
  }

  @Override
  protected String onlyFirstRow() {
    return "LIMIT 1";
  }

  @Override
  protected String leavingNull(TableId table, TargetColumn column) {
    return "ALTER TABLE %s MODIFY %s %s NULL"
        .formatted(Shown.table(table), Shown.name(column.name()), column.storedType());
  }

  /** The table may be suspended for it. */
  public static SluiceException refused(ServerKind server, String what) {
    return new SluiceException.Data(
        "not replicated, since %s commits at a change of a definition: %s; let TableErrorPolicy suspend the table, change it on the target, then reload it"
            .formatted(server.label(), what),
        null);
  }
}
