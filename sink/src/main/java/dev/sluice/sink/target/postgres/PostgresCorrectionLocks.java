package dev.sluice.sink.target.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;

/** Locks the complete table, which is one statement whatever the rows are. Stateless. */
final class PostgresCorrectionLocks implements CorrectionLocks {

  @Override
  public void keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    connection.execute("LOCK TABLE " + table.quoted() + " IN SHARE ROW EXCLUSIVE MODE");
  }
}
