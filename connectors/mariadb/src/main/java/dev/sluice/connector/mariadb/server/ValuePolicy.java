package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.Fields;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What happens to values that PostgreSQL does not have, as the task file says. Values of a key are
 * always refused: several rows would become one, or lose what finds them. Immutable.
 *
 * @param impossibleDate for dates such as 0000-00-00, 2026-11-00 and 2026-02-31
 * @param zeroCharacter for texts with the character of code 0
 */
public record ValuePolicy(ImpossibleDate impossibleDate, ZeroCharacter zeroCharacter) {
  /** The key of section {@code source} for dates. */
  public static final String ZERO_DATES = "zero-dates";

  /** The key of section {@code source} for texts. */
  public static final String ZERO_CHARACTERS = "zero-characters";

  /** Every such value stops the task. */
  public static final ValuePolicy REFUSE =
      new ValuePolicy(ImpossibleDate.REFUSE, ZeroCharacter.REFUSE);

  /** For dates that no calendar has. */
  public enum ImpossibleDate {
    /** Stop with an error that names the column. */
    REFUSE("refuse"),
    /** Replicate NULL. */
    NULL("to-null");

    private final String word;

    ImpossibleDate(String word) {
      this.word = word;
    }
  }

  /** For characters that no text of PostgreSQL has. */
  public enum ZeroCharacter {
    /** Stop with an error that names the column. */
    REFUSE("refuse"),
    /** Replicate the text without them. */
    REMOVE("remove");

    private final String word;

    ZeroCharacter(String word) {
      this.word = word;
    }
  }

  public ValuePolicy {
    Objects.requireNonNull(impossibleDate, "impossibleDate");
    Objects.requireNonNull(zeroCharacter, "zeroCharacter");
  }

  /** Reads both keys, whose default is to refuse. A word that is none of them is a problem. */
  static ValuePolicy read(Fields section) {
    String dates =
        word(section, ZERO_DATES, Arrays.stream(ImpossibleDate.values()).map(v -> v.word).toList());
    String characters =
        word(
            section,
            ZERO_CHARACTERS,
            Arrays.stream(ZeroCharacter.values()).map(v -> v.word).toList());
    return new ValuePolicy(
        dates.equals(ImpossibleDate.NULL.word) ? ImpossibleDate.NULL : ImpossibleDate.REFUSE,
        characters.equals(ZeroCharacter.REMOVE.word) ? ZeroCharacter.REMOVE : ZeroCharacter.REFUSE);
  }

  private static String word(Fields section, String key, List<String> words) {
    return section
        .text(key)
        .filter(text -> section.isAllowed(key, text, words))
        .orElse(words.get(0));
  }

  /**
   * The policy for a column.
   *
   * @param key whether it belongs to the table's key
   */
  public ValuePolicy ofColumn(boolean key) {
    return key ? REFUSE : this;
  }

  /** Whether dates that no calendar has are replicated as NULL. */
  public boolean makesNulls() {
    return impossibleDate == ImpossibleDate.NULL;
  }

  /**
   * Whether a column may get NULL in place of a date.
   *
   * @param type of PostgreSQL
   * @param key whether it belongs to the table's key
   */
  public boolean makesNulls(String type, boolean key) {
    return makesNulls() && !key && (type.equals("date") || type.startsWith("timestamp"));
  }

  /** Whether characters with code 0 are removed. */
  public boolean removesCharacters() {
    return zeroCharacter == ZeroCharacter.REMOVE;
  }
}
