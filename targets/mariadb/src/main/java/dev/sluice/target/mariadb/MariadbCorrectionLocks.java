package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagedColumn.Kind;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.value.Slice;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/*
 * LOCK TABLES would commit, so single rows are locked. When a row is locked, all earlier
 * transactions that changed it have ended, and no other transaction can change it until this one
 * ends. So a snapshot that is taken after the lock shows what the correction overwrites. Rows that
 * other transactions hold are skipped: waiting for one would delay the corrections of all other
 * rows of the round. A key without a row is not locked, since READ COMMITTED locks no gaps. The
 * insert of its row waits for a concurrent insert of the same key, and fails if that one commits.
 */
/** Locks the rows, each by its key. Stateless. */
final class MariadbCorrectionLocks implements CorrectionLocks {
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  @Override
  public Set<RowKey> keepWritersOut(
      TargetConnection connection, TableId table, List<String> key, List<RowKey> keys)
      throws SQLException {
    if (key.isEmpty()) {
      throw new IllegalStateException("BUG: rows of a table without a key are corrected");
    }
    StagedKey staged = StagedKey.of(connection, table, key);
    String corrected = connection.dialect().staging().table("corrected");
    LoadDataStream stream =
        staged.create(connection, corrected, List.of(new StagedColumn("n", Kind.NUMBER, null)));
    for (int n = 0; n < keys.size(); n++) {
      for (String value : keys.get(n).values()) {
        stream.value(Slice.of(value));
      }
      stream.number(n);
      stream.endRow();
    }
    stream.end();
    Set<RowKey> locked = new HashSet<>();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT s.n FROM %s AS s STRAIGHT_JOIN %s AS t ON %s FOR UPDATE SKIP LOCKED"
                    .formatted(corrected, table.quoted(), staged.isSame()))) {
      while (row.next()) {
        locked.add(keys.get(row.getInt(1)));
      }
    }
    return locked;
  }

  @Override
  public boolean isOfHeldRow(SQLException error) {
    return error.getErrorCode() == LOCK_WAIT_TIMEOUT;
  }
}
