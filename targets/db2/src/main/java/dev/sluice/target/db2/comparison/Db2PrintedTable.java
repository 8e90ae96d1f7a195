package dev.sluice.target.db2.comparison;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.comparison.printed.PrintedColumn;
import dev.sluice.connector.comparison.printed.PrintedTable;
import dev.sluice.connector.comparison.printed.TypeReading;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetTable;
import java.util.List;

/**
 * A table of the target, whose values are printed as the source prints its own. Immutable.
 *
 * @param described as the catalog has it
 */
record Db2PrintedTable(TargetTable described) implements PrintedTable {

  /** Its size is not known; the size of the source's table is used. */
  @Override
  public SideTable table() {
    return new SideTable(
        false,
        described.columns().stream()
            .map(
                column ->
                    TypeReading.sideColumn(
                        column.name(), column.type(), column.generated(), Db2Reading.of(column)))
            .toList(),
        described.indexes().stream()
            .map(TargetIndex::uniqueKey)
            .filter(key -> !key.isEmpty())
            .toList(),
        0,
        List.of(),
        List.of());
  }

  @Override
  public boolean takesNull(String column) {
    return described.column(column).map(found -> !found.notNull()).orElse(false);
  }

  @Override
  public PrintedColumn column(ComparedRows rows, ComparedValue value) {
    TargetColumn column =
        described
            .column(value.column())
            .orElseThrow(() -> new IllegalStateException("BUG: no column " + value.column()));
    return TypeReading.required(Db2Reading.of(column), rows, value, column.type());
  }
}
