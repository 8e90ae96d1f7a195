package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The column types of target tables, for values that come without a type. Caches what it has read.
 * A missing column is read once more at its first request, since it may have been added. Owned by
 * one thread.
 */
public final class ColumnTypes {
  private final TargetServer server;
  private final Map<TableId, Map<String, String>> known = new HashMap<>();
  private final Set<Missing> missing = new HashSet<>();

  private record Missing(TableId table, String column) {}

  public ColumnTypes(TargetServer server) {
    this.server = server;
  }

  /**
   * The name of a column's type, as {@link CatalogReader#columnTypes} has it. Null if the column
   * does not exist.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if the target cannot be reached
   */
  public String of(TableId table, String column) {
    String type = known.computeIfAbsent(table, this::read).get(column);
    if (type == null && missing.add(new Missing(table, column))) {
      known.put(table, read(table));
      type = known.get(table).get(column);
    }
    return type;
  }

  private Map<String, String> read(TableId table) {
    try (TargetConnection connection = server.borrow()) {
      return connection.dialect().catalog().columnTypes(connection.jdbc(), table);
    } catch (SQLException e) {
      throw server.errors().classify("read the types of " + table, e);
    }
  }
}
