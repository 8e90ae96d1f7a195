package dev.sluice.connector.mariadb.definition;

import java.util.HashSet;
import java.util.Set;

/**
 * A text. Immutable.
 *
 * @param characters that it has at most
 * @param characterSets of which it has texts; all other characters are of ASCII
 */
record ComputedText(String sql, long characters, Set<String> characterSets, boolean nullable)
    implements Computed {
  ComputedText {
    characterSets = Set.copyOf(characterSets);
  }

  /** NULL if one of both is, on both servers. */
  ComputedText followedBy(ComputedText other) {
    return with(
        other,
        "(%s || %s)".formatted(sql, other.sql),
        characters + other.characters,
        nullable || other.nullable);
  }

  /** A text that is one of both. */
  ComputedText orElse(ComputedText other, String choice, boolean mayBeNull) {
    return with(other, choice, Math.max(characters, other.characters), mayBeNull);
  }

  private ComputedText with(ComputedText other, String both, long most, boolean mayBeNull) {
    Set<String> sets = new HashSet<>(characterSets);
    sets.addAll(other.characterSets);
    return new ComputedText(both, most, sets, mayBeNull);
  }
}
