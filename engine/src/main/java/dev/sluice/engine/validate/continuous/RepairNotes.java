package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.engine.validate.repair.RepairedRows;
import dev.sluice.engine.validate.repair.TableRepair;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/**
 * Notes the rows of a repair among the listed ones. Immutable.
 *
 * @param id of the repair
 */
record RepairNotes(ValidationStore store, TableId table, RowsToRepair listed, String id)
    implements TableRepair.Audit {

  @Override
  public void check(TargetConnection connection, RepairedRows rows) throws SQLException {
    store.requireRoom(connection, listed.notes(rows));
  }

  @Override
  public void write(TargetConnection connection, RepairedRows rows) throws SQLException {
    store.repaired(connection, table, listed.notes(rows), id);
  }
}
