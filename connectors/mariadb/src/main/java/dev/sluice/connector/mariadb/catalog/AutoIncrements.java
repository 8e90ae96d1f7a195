package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the counters of auto_increment columns as sequences. Stateless. */
public final class AutoIncrements {
  private AutoIncrements() {}

  /**
   * One sequence for each such column, with the name that PostgreSQL would give it. If several
   * would have the same name, the later ones get another.
   *
   * @param others the database's own sequences, whose names are taken
   */
  public static List<SequenceState> of(DatabaseTables catalog, DatabaseSequences others) {
    List<SequenceState> states = new ArrayList<>();
    Set<TableId> names = new HashSet<>(others.unreadable());
    others.states().forEach(state -> names.add(state.sequence()));
    for (MariadbTable table : catalog.tables()) {
      for (MariadbColumn column : table.columns()) {
        if (column.isAutoIncrement() && table.nextNumber().isPresent()) {
          TableId name = name(table, column);
          while (!names.add(name)) {
            name = new TableId(name.schema(), name.name() + "1");
          }
          states.add(state(name, table, column));
        }
      }
    }
    return states;
  }

  private static TableId name(MariadbTable table, MariadbColumn column) {
    return new TableId(table.table().schema(), table.table().name() + "_" + column.name() + "_seq");
  }

  private static SequenceState state(TableId name, MariadbTable table, MariadbColumn column) {
    return new SequenceState(
        name,
        Optional.of(new SequenceState.Use(table.table(), column.name(), true)),
        table.nextNumber().orElseThrow(),
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
