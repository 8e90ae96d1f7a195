package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.sink.target.DdlStatements;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Builds the statements that create a source table, or one of its columns, on the target. Defaults
 * are separate and last, since they may need functions that the target lacks. Immutable.
 */
final class NewTable {
  private final DdlStatements ddl;
  private final TableDefinition definition;
  private final TableId name;
  private final UnaryOperator<TableId> targetOf;

  /**
   * @param name name of the table on the target
   * @param targetOf maps a source sequence to its name on the target
   */
  NewTable(
      DdlStatements ddl,
      TableDefinition definition,
      TableId name,
      UnaryOperator<TableId> targetOf) {
    this.ddl = ddl;
    this.definition = definition;
    this.name = name;
    this.targetOf = targetOf;
  }

  /** The schemas of the sequences of column defaults. */
  Set<String> schemasOfSequences() {
    return definition.columns().stream()
        .filter(NewTable::hasSequenceDefault)
        .map(column -> targetOf.apply(column.sequence().name()).schema())
        .collect(Collectors.toSet());
  }

  /** The statements that create the sequences of column defaults. */
  List<String> sequences() {
    return definition.columns().stream().flatMap(column -> sequence(column).stream()).toList();
  }

  List<String> sequence(ColumnDefinition column) {
    return hasSequenceDefault(column)
        ? List.of(
            ddl.createSequence(
                targetOf.apply(column.sequence().name()), column.sequence().options()))
        : List.of();
  }

  List<String> statements() {
    List<String> statements = new ArrayList<>();
    statements.add(ddl.createTable(name, definition));
    if (!definition.key().isEmpty()) {
      statements.add(primaryKey());
    }
    return statements;
  }

  String primaryKey() {
    return ddl.addPrimaryKey(name, definition.keyNames(), definition.key().checked());
  }

  List<String> defaults() {
    return definition.columns().stream().flatMap(column -> setDefault(column).stream()).toList();
  }

  /** The statements that set a column's default; none if the target cannot have it. */
  List<String> setDefault(ColumnDefinition column) {
    if (column.filling() != Filling.DEFAULT
        || column.defaultValue() == null
        || column.sequence() != null && !column.sequence().plain()) {
      return List.of();
    }
    if (!hasSequenceDefault(column)) {
      return List.of(ddl.setDefault(name, column.name(), column.defaultValue()));
    }
    TableId sequence = targetOf.apply(column.sequence().name());
    String next = ddl.setDefaultToNext(name, column.name(), sequence);
    // Rules may map the two to different schemas, but PostgreSQL requires the same one.
    return column.sequence().owned() && sequence.schema().equals(name.schema())
        ? List.of(next, ddl.ownSequence(sequence, name, column.name()))
        : List.of(next);
  }

  private static boolean hasSequenceDefault(ColumnDefinition column) {
    return column.filling() == Filling.DEFAULT
        && column.sequence() != null
        && column.sequence().plain();
  }

  TableId name() {
    return name;
  }
}
