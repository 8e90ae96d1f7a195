package dev.sluice.connector.mariadb.definition;

import java.util.HashSet;
import java.util.Set;

/**
 * A text. Immutable.
 *
 * @param characters the maximum length
 * @param characterSets the character sets of its parts; all other characters are ASCII
 */
record ComputedText(String sql, long characters, Set<String> characterSets, boolean nullable)
    implements Computed {
  ComputedText {
    characterSets = Set.copyOf(characterSets);
  }

  /** The concatenation: NULL if either text is NULL, on both servers. */
  ComputedText followedBy(ComputedText other) {
    return with(
        other,
        "(%s || %s)".formatted(sql, other.sql),
        characters + other.characters,
        nullable || other.nullable);
  }

  /** A text that is either of the two. */
  ComputedText orElse(ComputedText other, String choice, boolean mayBeNull) {
    return with(other, choice, Math.max(characters, other.characters), mayBeNull);
  }

  private ComputedText with(ComputedText other, String both, long most, boolean mayBeNull) {
    Set<String> sets = new HashSet<>(characterSets);
    sets.addAll(other.characterSets);
    return new ComputedText(both, most, sets, mayBeNull);
  }
}
