package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.FileLocation;
import java.util.List;

/** One DMS transformation rule. Immutable. */
public record TransformationRule(
    String id,
    FileLocation place,
    NamePattern schema,
    NamePattern table,
    NamePattern column,
    Action action) {

  /** The action of a rule with its parameters. */
  sealed interface Action {
    record RenameSchema(NameChange change) implements Action {}

    record RenameTable(NameChange change) implements Action {}

    record RenameColumn(NameChange change) implements Action {}

    record RemoveColumn() implements Action {}

    /** Columns that no such rule of the table matches are not replicated. */
    record IncludeColumn() implements Action {}

    /**
     * @param type as PostgreSQL's {@code format_type} prints it
     */
    record ChangeType(String type) implements Action {}

    record AddColumn(AddedColumn column) implements Action {}

    record DefineKey(DefinedKey key) implements Action {}

    record Consolidate(Consolidation consolidation) implements Action {}

    record AddBeforeImages(BeforeImages images) implements Action {}
  }

  boolean matches(TableId candidate) {
    return schema.matches(candidate.schema()) && table.matches(candidate.name());
  }

  boolean matches(TableId candidate, String name) {
    return matches(candidate) && column.matches(name);
  }

  boolean doesOneOf(Class<?>... actions) {
    return List.of(actions).contains(action.getClass());
  }

  /** Whether it renames or removes columns. */
  boolean namesColumns() {
    return doesOneOf(Action.RenameColumn.class, Action.RemoveColumn.class);
  }

  /** For messages: {@code s.t.% RenameColumn[…]}. */
  @Override
  public String toString() {
    return schema + "." + table + "." + column + " " + action;
  }
}
