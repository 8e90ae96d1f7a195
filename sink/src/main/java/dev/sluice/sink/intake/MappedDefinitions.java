package dev.sluice.sink.intake;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.comparison.printed.KeptTexts;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Maps DDL to the target's columns. A change that cannot be expressed in them becomes an obstacle,
 * which the table's error policy handles. Immutable.
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
            .or(() -> comingBack(change))
            .or(() -> retyped(change))
            .or(() -> withoutKey(change))
            .or(() -> withoutName(change.after()));
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
            .flatMap(
                column ->
                    Stream.concat(
                        Stream.of(of(table, column)), before(definition, column).stream()))
            .toList(),
        definition.parents());
  }

  /**
   * The column's before-image column; empty if there is none. Like the column itself it is tracked
   * by number: one that no column of the source has.
   */
  private Optional<ColumnDefinition> before(TableDefinition definition, ColumnDefinition column) {
    if (definition.key().isEmpty() || column.filling().generated()) {
      return Optional.empty();
    }
    ColumnDefinition carried = of(rowsOf(definition), column);
    return names
        .beforeOf(
            rowsOf(definition),
            column.name(),
            column.type(),
            definition.key().contains(column.number()))
        .map(
            name ->
                new ColumnDefinition(
                    -column.number(),
                    name,
                    carried.type(),
                    carried.typeIdentity(),
                    carried.collation(),
                    false,
                    Filling.DEFAULT,
                    null,
                    null,
                    null));
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

  /**
   * The obstacle of an SQL expression that uses a column's source name, which it does not have on
   * the target.
   */
  private Optional<String> mentioned(TableDefinition after) {
    if (after == null) {
      return Optional.empty();
    }
    for (ColumnDefinition column : after.columns()) {
      if (!names.keeps(rowsOf(after), column.name()) && isMentioned(after, column)) {
        return Optional.of(
            "a rule renames or removes its column %s, and an expression in its definition uses it"
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

  /**
   * The obstacle of a column that no rule removes any more: the target does not have its values.
   */
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
            "under its new name no rule removes the column %s any more, and the target does not have its values"
                .formatted(String.join(", ", back)));
  }

  /**
   * The obstacle of a column whose type on the target a rule gives: there it stays when the
   * source's changes. It may not keep the values of the new type, nor what the source's cast made
   * of older ones.
   */
  private Optional<String> retyped(DefinitionChange change) {
    if (change.before() == null || change.after() == null) {
      return Optional.empty();
    }
    for (ColumnDefinition column : change.after().columns()) {
      Optional<ColumnDefinition> before =
          change
              .before()
              .column(column.number())
              .filter(earlier -> !column.filling().generated() && !earlier.hasTypeOf(column));
      Optional<String> given = names.typeOf(rowsOf(change.after()), column.name());
      if (before.isPresent()
          && given.isPresent()
          && !(KeptTexts.areKept(column.type(), given.get())
              && (!change.rewritten() || KeptTexts.areKept(before.get().type(), column.type())))) {
        return Optional.of(
            "the type of its column %s was %s and became %s, and a rule gives it type %s, in which values may be others"
                .formatted(column.name(), before.get().type(), column.type(), given.get()));
      }
    }
    return Optional.empty();
  }

  /** The obstacle of a table without a primary key that has before-image columns. */
  private Optional<String> withoutKey(DefinitionChange change) {
    if (change.before() == null || change.after() == null || !change.after().key().isEmpty()) {
      return Optional.empty();
    }
    return change.before().columns().stream()
            .filter(column -> change.after().column(column.number()).isPresent())
            .anyMatch(column -> before(change.before(), column).isPresent())
        ? Optional.of("it has no primary key any more, and a rule adds before-image columns to it")
        : Optional.empty();
  }

  /**
   * The obstacle of a before-image column whose name is taken, or longer than PostgreSQL allows.
   */
  private Optional<String> withoutName(TableDefinition after) {
    if (after == null) {
      return Optional.empty();
    }
    List<String> all = of(after).columns().stream().map(ColumnDefinition::name).toList();
    return after.columns().stream()
        .filter(column -> isKept(after, column))
        .flatMap(column -> before(after, column).stream())
        .map(ColumnDefinition::name)
        .filter(
            name ->
                Collections.frequency(all, name) > 1
                    || name.getBytes(StandardCharsets.UTF_8).length > TableId.LONGEST_NAME)
        .findFirst()
        .map(
            name ->
                "a rule adds a before-image column %s, which is another column's name or longer than %d bytes"
                    .formatted(name, TableId.LONGEST_NAME));
  }

  /** The table under which its rows are in the journal. */
  private static TableId rowsOf(TableDefinition definition) {
    return definition.partition() == null ? definition.table() : definition.partition().root();
  }
}
