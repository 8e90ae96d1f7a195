package dev.sluice.sink.intake;

import dev.sluice.config.ColumnNames;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import java.util.List;
import java.util.Optional;

/**
 * Gives changes of tables the target's columns. What cannot be told in those is told as an
 * obstacle, which the table's error policy decides about. Immutable.
 */
final class MappedDefinitions {
  private final ColumnNames names;

  MappedDefinitions(ColumnNames names) {
    this.names = names;
  }

  DefinitionChanges of(DefinitionChanges changes) {
    return changes.only(changes.changes().stream().map(this::of).toList());
  }

  private DefinitionChange of(DefinitionChange change) {
    Optional<String> obstacle =
        Optional.ofNullable(change.obstacle())
            .or(() -> obstacleToNew(change))
            .or(() -> mentioned(change.after()))
            .or(() -> comingBack(change));
    return new DefinitionChange(
        of(change.before()),
        of(change.after()),
        change.begins(),
        change.rewritten(),
        obstacle.orElse(null));
  }

  private TableDefinition of(TableDefinition definition) {
    if (definition == null) {
      return null;
    }
    TableId table = rowsOf(definition);
    return new TableDefinition(
        definition.table(),
        definition.partitionedBy(),
        definition.partition(),
        definition.key(),
        definition.columns().stream()
            .filter(column -> isKept(definition, column))
            .map(column -> of(table, column))
            .toList());
  }

  private ColumnDefinition of(TableId table, ColumnDefinition column) {
    return new ColumnDefinition(
        column.number(),
        names.orSame(table, column.name()),
        names.typeOf(table, column.name()).orElse(column.type()),
        column.typeIdentity(),
        column.collation(),
        column.notNull(),
        column.filling(),
        column.defaultValue(),
        column.existing(),
        column.sequence());
  }

  private boolean isKept(TableDefinition definition, ColumnDefinition column) {
    return definition.key().contains(column.number())
        || names.of(rowsOf(definition), column.name()).isPresent();
  }

  private Optional<String> obstacleToNew(DefinitionChange change) {
    boolean made = change.after() != null && (change.begins() || change.before() == null);
    return made && change.after().partition() == null
        ? names.obstacleToNew(change.after().table())
        : Optional.empty();
  }

  /** SQL that speaks of a column by a name that it does not have on the target. */
  private Optional<String> mentioned(TableDefinition after) {
    if (after == null) {
      return Optional.empty();
    }
    for (ColumnDefinition column : after.columns()) {
      if (!names.keeps(rowsOf(after), column.name()) && isMentioned(after, column)) {
        return Optional.of(
            "a rule gives its column %s another name or leaves it out, and its definition speaks of it by an expression"
                .formatted(column.name()));
      }
    }
    return Optional.empty();
  }

  private static boolean isMentioned(TableDefinition after, ColumnDefinition mentioned) {
    String condition = after.partition() == null ? null : after.partition().condition();
    return contains(after.partitionedBy(), mentioned)
        || contains(condition, mentioned)
        || after.columns().stream()
            .anyMatch(
                column ->
                    column.filling().generated() && contains(column.defaultValue(), mentioned));
  }

  private static boolean contains(String sql, ColumnDefinition column) {
    return sql != null && sql.contains(column.name().replace("\"", "\"\""));
  }

  /** A column that was left out has no values on the target. */
  private Optional<String> comingBack(DefinitionChange change) {
    if (change.before() == null || change.after() == null) {
      return Optional.empty();
    }
    List<String> back =
        change.after().columns().stream()
            .filter(column -> isKept(change.after(), column))
            .filter(
                column ->
                    change
                        .before()
                        .column(column.number())
                        .filter(before -> !isKept(change.before(), before))
                        .isPresent())
            .map(ColumnDefinition::name)
            .toList();
    return back.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "by its new name no rule leaves out the column %s any more, whose values the target lacks"
                .formatted(String.join(", ", back)));
  }

  /** Under whose name its rows come. */
  private static TableId rowsOf(TableDefinition definition) {
    return definition.partition() == null ? definition.table() : definition.partition().root();
  }
}
