package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;
import java.util.Objects;
import java.util.Optional;

/**
 * The definition of a source table's column at a position of the log. Immutable.
 *
 * @param number of the column in the table; a rename keeps it
 * @param type as SQL, with modifiers
 * @param typeIdentity differs if the type or its modifiers differ
 * @param collation as SQL if it is not the type's default; else null
 * @param defaultValue the expression of a default or of a generated column; null if there is none
 * @param existing the value that older rows got when the column was added, in text form; null if it
 *     is NULL or the rows were rewritten
 * @param sequence the sequence of an identity column or of a default; else null
 */
public record ColumnDefinition(
    int number,
    String name,
    String type,
    String typeIdentity,
    String collation,
    boolean notNull,
    Filling filling,
    String defaultValue,
    String existing,
    Sequence sequence) {

  /** The source of a column's value if a statement gives none. */
  public enum Filling {
    /** Its default, if it has one. */
    DEFAULT,
    GENERATED_STORED,
    GENERATED_VIRTUAL,
    IDENTITY_ALWAYS,
    IDENTITY_BY_DEFAULT;

    public boolean generated() {
      return this == GENERATED_STORED || this == GENERATED_VIRTUAL;
    }

    public boolean identity() {
      return this == IDENTITY_ALWAYS || this == IDENTITY_BY_DEFAULT;
    }
  }

  /**
   * The sequence of a column.
   *
   * @param options as SQL, type first
   * @param plain whether the default is only the sequence's next value
   * @param owned whether it is dropped with the column
   */
  public record Sequence(TableId name, String options, boolean plain, boolean owned) {}

  public ColumnDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(typeIdentity, "typeIdentity");
    Objects.requireNonNull(filling, "filling");
  }

  /** Whether the other column is of the same type. */
  public boolean hasTypeOf(ColumnDefinition other) {
    return type.equals(other.type) && typeIdentity.equals(other.typeIdentity);
  }

  /**
   * Whether the other column has the same name, type and NOT NULL, and is generated if this one is.
   * Defaults and collations may differ.
   */
  public boolean isLike(ColumnDefinition other) {
    return name.equals(other.name)
        && hasTypeOf(other)
        && notNull == other.notNull
        && filling.generated() == other.filling.generated();
  }

  /**
   * What has computed a value for each older row when the column was added, so that the log does
   * not have the values; empty if nothing has.
   *
   * @param rewritten whether the source wrote the rows again
   */
  public Optional<String> computedForOlderRows(boolean rewritten) {
    boolean byDefault =
        filling == Filling.DEFAULT && defaultValue != null && existing == null && rewritten;
    return filling.identity() || byDefault
        ? Optional.of(defaultValue == null ? "identity" : defaultValue)
        : Optional.empty();
  }
}
