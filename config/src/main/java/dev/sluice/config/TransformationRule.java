package dev.sluice.config;

/** One DMS transformation rule. Immutable. */
record TransformationRule(
    String id,
    Place place,
    NamePattern schema,
    NamePattern table,
    NamePattern column,
    Action action) {

  /** What it does; each with all that it needs. */
  sealed interface Action {
    record RenameSchema(NameChange change) implements Action {}

    record RenameTable(NameChange change) implements Action {}

    record RenameColumn(NameChange change) implements Action {}

    record RemoveColumn() implements Action {}

    /** The columns that no such rule of a table names are left out. */
    record IncludeColumn() implements Action {}

    /**
     * @param type as PostgreSQL's {@code format_type} prints it
     */
    record ChangeType(String type) implements Action {}

    record AddColumn(AddedColumn column) implements Action {}

    record DefineKey(DefinedKey key) implements Action {}
  }

  boolean matches(TableId candidate) {
    return schema.matches(candidate.schema()) && table.matches(candidate.name());
  }

  boolean matches(TableId candidate, String name) {
    return matches(candidate) && column.matches(name);
  }

  /** For people: {@code s.t.% RenameColumn[…]}. */
  @Override
  public String toString() {
    return schema + "." + table + "." + column + " " + action;
  }
}
