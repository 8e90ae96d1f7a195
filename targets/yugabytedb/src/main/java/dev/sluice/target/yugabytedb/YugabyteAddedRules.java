package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.load.target.AddedTables;
import dev.sluice.sink.target.TargetTable;
import java.util.Optional;

/**
 * Which tables are created on the target when the source gets them while the task runs. Stateless.
 */
final class YugabyteAddedRules implements AddedTables.Rules {

  @Override
  public String label() {
    return "YugabyteDB";
  }

  @Override
  public TableOutline outline(TableDefinition definition, TableId table) {
    return YugabyteOutlines.of(definition, table);
  }

  @Override
  public Optional<String> objection(TableOutline outline) {
    return Optional.empty();
  }

  @Override
  public boolean fits(OutlinedColumn column, TableOutline outline, TargetTable found) {
    return found.column(column.name()).orElseThrow().type().equals(column.type());
  }
}
