package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;
import java.util.Objects;

/**
 * A column of a source table as it was defined at one place of the log. Immutable.
 *
 * @param number which column of the table it is, through renames
 * @param type as SQL, with modifiers
 * @param typeIdentity differs where the type or its modifiers differ
 * @param collation as SQL where it is not the type's own; else null
 * @param defaultValue the expression of a default or of a generated column; null where there is
 *     none
 * @param existing what the rows hold that were there when the column was added, in text form; null
 *     where they hold NULL or were written anew
 * @param sequence what the values of an identity column or of a default come from; else null
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

  /** How a column gets a value by itself. */
  public enum Filling {
    /** By its default, if it has one. */
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
   * A sequence behind a column.
   *
   * @param options as SQL, type first
   * @param plain whether a default is nothing but its next value
   * @param owned whether it goes with the column
   */
  public record Sequence(TableId name, String options, boolean plain, boolean owned) {}

  public ColumnDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(typeIdentity, "typeIdentity");
    Objects.requireNonNull(filling, "filling");
  }
}
