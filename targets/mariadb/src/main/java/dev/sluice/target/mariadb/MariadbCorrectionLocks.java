package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.value.Slice;
import java.sql.SQLException;
import java.util.List;

/*
 * LOCK TABLES would commit. A locked row is one that was read after all earlier transactions that
 * changed it had ended, and that none changes before this one ends: what a snapshot shows of it from
 * now on is what the correction overwrites. A key that no row has is not locked, since READ COMMITTED
 * locks no gaps. Its row is inserted, which fails if somebody was faster.
 */
/** Locks the rows, each by its key. Stateless. */
final class MariadbCorrectionLocks implements CorrectionLocks {

  @Override
  public void keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    if (key.isEmpty()) {
      throw new IllegalStateException("BUG: rows of a table without a key are corrected");
    }
    StagedKey staged = StagedKey.of(connection, table, key);
    String corrected = connection.dialect().staging().table("corrected");
    LoadDataStream stream = staged.create(connection, corrected, List.of());
    for (RowKey row : keys) {
      for (String value : row.values()) {
        stream.value(Slice.of(value));
      }
      stream.endRow();
    }
    stream.end();
    connection.exists(
        "SELECT COUNT(*) FROM %s AS s STRAIGHT_JOIN %s AS t ON %s FOR UPDATE"
            .formatted(corrected, table.quoted(), staged.isSame()));
  }
}
