package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The numbers that auto_increment columns give next, as sequences. Stateless. */
public final class AutoIncrements {
  private AutoIncrements() {}

  /** One sequence for each such column; it has the name that PostgreSQL would give it. */
  public static List<SequenceState> of(MariadbCatalog catalog) {
    List<SequenceState> states = new ArrayList<>();
    for (MariadbTable table : catalog.tables()) {
      for (MariadbColumn column : table.columns()) {
        if (column.isAutoIncrement() && table.nextNumber().isPresent()) {
          states.add(state(table, column, table.nextNumber().getAsLong()));
        }
      }
    }
    return states;
  }

  private static SequenceState state(MariadbTable table, MariadbColumn column, long next) {
    return new SequenceState(
        new TableId(table.table().schema(), table.table().name() + "_" + column.name() + "_seq"),
        Optional.of(new SequenceState.Use(table.table(), column.name(), true)),
        next,
        false,
        new SequenceState.Form(1, 1, highest(column.mappedType()), 1, false));
  }

  private static long highest(String type) {
    return switch (type) {
      case "smallint" -> Short.MAX_VALUE;
      case "integer" -> Integer.MAX_VALUE;
      default -> Long.MAX_VALUE;
    };
  }
}
