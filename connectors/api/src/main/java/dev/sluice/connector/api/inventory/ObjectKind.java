package dev.sluice.connector.api.inventory;

/** A kind of {@link SchemaObject}. */
public enum ObjectKind {
  VIEW("view", "views"),
  MATERIALIZED_VIEW("materialized view", "materialized views"),
  FUNCTION("function", "functions"),
  TYPE("type", "types"),
  SEQUENCE("sequence", "sequences"),
  EXTENSION("extension", "extensions"),
  TRIGGER("trigger", "triggers"),
  /** Also those behind primary keys and other unique constraints. */
  INDEX("index", "indexes"),
  /** Foreign keys and checks. */
  CONSTRAINT("constraint", "constraints"),
  /** Extended statistics, which somebody has created. */
  STATISTICS("extended statistics object", "extended statistics objects"),
  POLICY("row security policy", "row security policies"),
  /** The switch of a table, without which policies have no effect. */
  ROW_SECURITY("table with row security", "tables with row security"),
  RULE("rule", "rules"),
  OWNER("owner", "owners"),
  GRANT("grant", "grants");

  private final String one;
  private final String several;

  ObjectKind(String one, String several) {
    this.one = one;
    this.several = several;
  }

  /** In words: {@code index}, {@code indexes}. */
  public String text(int count) {
    return count == 1 ? one : several;
  }
}
