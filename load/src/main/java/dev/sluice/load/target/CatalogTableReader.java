package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads what the dialect's catalog says of tables, where partitions are no tables of their own.
 * Stateless, threadsafe.
 */
public final class CatalogTableReader implements TableReader {

  @Override
  public Optional<List<TableColumn>> columns(TargetConnection connection, TableId table)
      throws SQLException {
    return connection
        .dialect()
        .catalog()
        .table(connection.jdbc(), table)
        .map(TargetTable::columns)
        .map(
            columns ->
                columns.stream()
                    .map(
                        column -> new TableColumn(column.name(), column.type(), column.generated()))
                    .toList());
  }

  /** One question for each table: no cutover asks this of such a target. */
  @Override
  public Map<TableId, Set<String>> generatedColumns(
      TargetConnection connection, List<TableId> tables) throws SQLException {
    Map<TableId, Set<String>> found = new HashMap<>();
    for (TableId table : tables) {
      Set<String> generated =
          columns(connection, table).orElse(List.of()).stream()
              .filter(TableColumn::generated)
              .map(TableColumn::name)
              .collect(Collectors.toSet());
      if (!generated.isEmpty()) {
        found.put(table, generated);
      }
    }
    return found;
  }

  /** Partitions are no tables. */
  @Override
  public Set<String> leaves(TargetConnection connection, TableId table) {
    return Set.of();
  }

  /** Only the dialect itself makes tables there, and names their indexes. */
  @Override
  public Set<TableId> namesBeside(TargetConnection connection, List<TableId> tables) {
    return Set.of();
  }
}
