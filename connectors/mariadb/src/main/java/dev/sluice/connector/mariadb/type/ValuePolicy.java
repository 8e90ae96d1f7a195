package dev.sluice.connector.mariadb.type;

import java.util.Objects;

/**
 * What happens to values that PostgreSQL does not have. Immutable.
 *
 * @param impossibleDate for dates such as 0000-00-00, 2026-11-00 and 2026-02-31
 * @param zeroCharacter for texts with the character of code 0
 */
public record ValuePolicy(ImpossibleDate impossibleDate, ZeroCharacter zeroCharacter) {

  /** Every such value stops the task. */
  public static final ValuePolicy REFUSE =
      new ValuePolicy(ImpossibleDate.REFUSE, ZeroCharacter.REFUSE);

  /** For dates that no calendar has. */
  public enum ImpossibleDate {
    /** Stop with an error that names the column. */
    REFUSE,
    /** Replicate NULL. */
    NULL
  }

  /** For characters that no text of PostgreSQL has. */
  public enum ZeroCharacter {
    /** Stop with an error that names the column. */
    REFUSE,
    /** Replicate the text without them. */
    REMOVE
  }

  public ValuePolicy {
    Objects.requireNonNull(impossibleDate, "impossibleDate");
    Objects.requireNonNull(zeroCharacter, "zeroCharacter");
  }
}
