package dev.sluice.sink.target.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Locks the complete table, which is one statement whatever the rows are. Stateless. */
final class PostgresCorrectionLocks implements CorrectionLocks {

  @Override
  public Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    connection.execute("LOCK TABLE " + table.quoted() + " IN SHARE ROW EXCLUSIVE MODE");
    return Set.copyOf(keys);
  }

  @Override
  public boolean isOfHeldRow(SQLException error) {
    return false;
  }
}
