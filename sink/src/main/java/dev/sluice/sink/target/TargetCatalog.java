package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads target tables from the target's catalog and caches them until {@link #forget}. Owned by the
 * connection's thread.
 */
public final class TargetCatalog {
  private final Map<TableId, TargetTable> known = new HashMap<>();

  /** Returns the table, read at the first request; empty if it does not exist. */
  public Optional<TargetTable> table(TargetConnection connection, TableId id) throws SQLException {
    TargetTable table = known.get(id);
    if (table == null) {
      table = connection.dialect().catalog().table(connection.jdbc(), id).orElse(null);
      if (table != null) {
        known.put(id, table);
      }
    }
    return Optional.ofNullable(table);
  }

  /** Clears the cache. Call it after an error or an ALTER. */
  public void forget() {
    known.clear();
  }
}
