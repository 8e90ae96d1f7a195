package dev.sluice.sink.target;

import dev.sluice.config.TableId;

/**
 * A column of a target table. Immutable.
 *
 * @param name as the catalog spells it
 * @param number its attribute number
 * @param type its own type as SQL, with modifiers
 * @param domain whether that is a domain
 * @param storedType the type under all domains, with modifiers: what staging tables hold, since a
 *     domain's NOT NULL would refuse values that are only absent
 * @param bareType the same without modifiers, so that only an assignment applies those and raises
 *     what does not fit
 * @param arrayDelimiter what stands between elements of an array of it; 0 where it cannot be
 *     carried in one: it has no array type or is an array itself, or is composite and would be
 *     taken apart
 * @param equality the SQL operator by which values are the same key
 * @param comparable whether the type is known to have that operator, so that it can be hashed and
 *     looked up in an index
 * @param notNull whether NULL is refused
 * @param hasDefault whether it fills itself: by default, identity or generation
 * @param alwaysIdentity whether it is GENERATED ALWAYS AS IDENTITY, which an UPDATE cannot set
 * @param generated whether it is computed from other columns and cannot be written
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
    boolean generated) {

  /** Stands for a column that the target does not have: it takes any value and writes none. */
  public static TargetColumn absent(String name) {
    return new TargetColumn(
        name, 0, "text", false, "text", "text", ',', "=", false, false, false, false, true);
  }

  public String quoted() {
    return TableId.quote(name);
  }
}
