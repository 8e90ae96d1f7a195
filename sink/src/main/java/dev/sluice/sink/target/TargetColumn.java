package dev.sluice.sink.target;

import dev.sluice.config.TableId;

/**
 * A column of a target table. Immutable.
 *
 * @param name as the catalog spells it
 * @param number its attribute number
 * @param type its type as SQL, with modifiers
 * @param domain whether that type is a domain
 * @param storedType the base type of all domains, with modifiers. Staging tables use it, since a
 *     domain's NOT NULL would reject absent values
 * @param bareType the base type without modifiers, so that the assignment applies them and rejects
 *     values that do not fit
 * @param arrayDelimiter the delimiter in arrays of this type; 0 if its values cannot be sent in an
 *     array: the type has no array type, is an array or is composite
 * @param equality the SQL operator that compares key values
 * @param comparable whether the type has that operator, so that values can be hashed and found by
 *     an index
 * @param notNull whether NULL is rejected
 * @param hasDefault whether it has a default, is an identity or is generated
 * @param alwaysIdentity whether it is GENERATED ALWAYS AS IDENTITY, which an UPDATE cannot set
 * @param generated whether it is computed from other columns, so that it cannot be written
 * @param fillsNull whether a NULL that is written becomes another value without an error
 */
public record TargetColumn(
    String name,
    int number,
    String type,
    boolean domain,
    String storedType,
    String bareType,
    char arrayDelimiter,
    String equality,
    boolean comparable,
    boolean notNull,
    boolean hasDefault,
    boolean alwaysIdentity,
    boolean generated,
    boolean fillsNull) {
  /** The maximum number of characters of a value in a message. */
  private static final int SHOWN = 100;

  /** A placeholder for a column that the target lacks: its values are not written. */
  public static TargetColumn absent(String name) {
    return new TargetColumn(
        name, 0, "text", false, "text", "text", ',', "=", false, false, false, false, true, false);
  }

  public String quoted() {
    return TableId.quote(name);
  }

  /** Its name in a table that keeps old values while rows are deleted and inserted again. */
  public String keptName() {
    return "a" + number;
  }

  /**
   * The message for a value that the column would change.
   *
   * @param expected the format or the range of its values
   */
  public String doesNotTake(String value, String expected) {
    return "column %s of type %s does not take the value '%s': expected %s"
        .formatted(
            name,
            type,
            value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "…",
            expected);
  }
}
