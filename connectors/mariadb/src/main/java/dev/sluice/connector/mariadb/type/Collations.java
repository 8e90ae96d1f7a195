package dev.sluice.connector.mariadb.type;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.Map;

/**
 * The collations of a server, by which the binary log names the character set of a text. Immutable.
 *
 * @param characterSets the name of the character set by the collation's number
 */
public record Collations(Map<Integer, String> characterSets) {

  /**
   * Gives number and character set of each collation; what has no number is of the same character
   * set as one that has.
   */
  public static final String QUERY =
      "SELECT id, character_set_name FROM information_schema.collation_character_set_applicability";

  /** The same of MySQL, where each collation has a number. */
  public static final String OF_MYSQL =
      "SELECT ID, CHARACTER_SET_NAME FROM information_schema.COLLATIONS";

  public Collations {
    characterSets = Map.copyOf(characterSets);
  }

  /**
   * The character set of a collation.
   *
   * @param column for messages
   * @throws SluiceException.Fatal if the server has no such collation, or its texts cannot be
   *     decoded
   */
  CharacterSet of(int collation, String column) {
    String name = characterSets.get(collation);
    if (name == null) {
      throw new SluiceException.Fatal(
          new Problem(
              column,
              "the collation number " + collation + ", which the server does not list",
              "a collation of information_schema.collations",
              "Exclude the table"));
    }
    return CharacterSet.named(name)
        .orElseThrow(
            () ->
                new SluiceException.Fatal(
                    new Problem(
                        column,
                        "the character set " + name,
                        "a character set that can be decoded exactly",
                        "Convert the column to utf8mb4 on the source, or exclude the table")));
  }
}
