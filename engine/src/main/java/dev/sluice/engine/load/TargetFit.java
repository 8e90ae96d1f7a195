package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.load.TargetTables;
import dev.sluice.sink.target.TargetConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares the tables of a load with those that are on the target. Owned by one thread. */
final class TargetFit {
  private static final Logger LOG = LoggerFactory.getLogger(TargetFit.class);

  private final LoadPlan plan;
  private final TableMappings mappings;
  private final TargetTables targetTables;

  TargetFit(LoadPlan plan, TableMappings mappings, TargetConnection connection) {
    this.plan = plan;
    this.mappings = mappings;
    this.targetTables = new TargetTables(connection);
  }

  /** Columns that the target computes, by an expression that the source may have changed since. */
  Map<TableId, List<String>> computedThere() {
    Map<TableId, List<String>> computed = new LinkedHashMap<>();
    for (RecordedTable table : plan.recorded()) {
      TargetShape shape = TargetShape.of(table, mappings);
      List<String> names =
          shape.computed().isEmpty()
              ? List.of()
              : GeneratedOnTarget.of(
                  targetTables.find(shape.table()).orElse(List.of()), shape.computed());
      if (!names.isEmpty()) {
        computed.put(shape.table(), names);
      }
    }
    return computed;
  }

  /** Whether each table exists on the target with exactly the expected columns. */
  boolean fits() {
    for (RecordedTable table : plan.recorded()) {
      TargetShape shape = TargetShape.of(table, mappings);
      TableId name = shape.table();
      Optional<List<TableColumn>> columns = targetTables.find(name);
      if (columns.isEmpty()
          || !GeneratedOnTarget.asOrdinary(columns.get(), shape.computed())
              .equals(Set.copyOf(shape.columns()))) {
        LOG.info(
            "target table {} does not have the columns of {} on the source", name, table.table());
        return false;
      }
      Set<String> leaves =
          table.partitioned()
              ? table.leaves().stream()
                  .map(leaf -> mappings.targetOf(leaf.leaf()).name())
                  .collect(Collectors.toSet())
              : Set.of();
      if (!targetTables.leaves(name).containsAll(leaves)) {
        LOG.info("target table {} lacks partitions that the source has", name);
        return false;
      }
    }
    return true;
  }

  /**
   * Requires that the target has each column of the tables, and can write it.
   *
   * @throws SluiceException.Fatal with all that it has not
   */
  void requireColumns() {
    Map<TableId, List<TableColumn>> columns =
        targetTables.columns(plan.names().stream().map(mappings::targetOf).toList());
    List<Problem> problems = new ArrayList<>();
    for (RecordedTable table : plan.recorded()) {
      TargetShape shape = TargetShape.of(table, mappings);
      TableId name = shape.table();
      Set<String> computed = shape.computed();
      Set<String> writable =
          columns.get(name).stream()
              .filter(column -> !column.generated() || computed.contains(column.name()))
              .map(TableColumn::name)
              .collect(Collectors.toSet());
      for (TableColumn column : shape.columns()) {
        if (!column.generated() && !writable.contains(column.name())) {
          problems.add(notWritable(name, column));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private static Problem notWritable(TableId table, TableColumn column) {
    return new Problem(
        "target table " + table,
        "has no column " + TableId.quote(column.name()) + " that can be written",
        "a column of type " + column.type() + ", as on the source",
        "Add it: ALTER TABLE %s ADD COLUMN %s %s;"
            .formatted(table.quoted(), TableId.quote(column.name()), column.type()));
  }
}
