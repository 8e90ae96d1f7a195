package dev.sluice.connector.api.comparison;

import dev.sluice.connector.api.load.LobCut;
import java.util.Optional;

/**
 * A column whose values are compared by their text. Immutable.
 *
 * @param column its name on this side
 * @param cut of its values on this side
 * @param as the type whose text of the value is compared; empty: its own. A source's value becomes
 *     what the target's built-in type makes of it; a target's column that is {@linkplain
 *     SideColumn#readings read} as the source's type is printed as by that type
 * @param exact whether both sides have the same type, and its binary form can replace the text
 */
public record ComparedValue(String column, LobCut cut, Optional<String> as, boolean exact) {

  /** The column as it is, compared by its text. */
  public static ComparedValue of(String column) {
    return new ComparedValue(column, LobCut.NONE, Optional.empty(), false);
  }
}
