package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.RefusedDefinitions;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;

/**
 * Definitions of tables on Db2: they are read, and never changed. Owned by the connection's thread.
 */
public final class Db2Definitions extends RefusedDefinitions {

  public Db2Definitions(TargetConnection connection) {
    super(connection, Db2Refusal::ofDefinition);
  }

  @Override
  protected String onlyFirstRow() {
    return "FETCH FIRST 1 ROWS ONLY";
  }

  @Override
  protected String leavingNull(TableId table, TargetColumn column) {
    return "ALTER TABLE %s ALTER COLUMN %s DROP %s"
        .formatted(table.quoted(), column.quoted(), column.generated() ? "EXPRESSION" : "DEFAULT");
  }
}
