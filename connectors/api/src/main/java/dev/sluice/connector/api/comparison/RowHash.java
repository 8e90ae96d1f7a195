package dev.sluice.connector.api.comparison;

import java.util.Objects;

/**
 * How the text of a row becomes two numbers of 64 bits. Immutable.
 *
 * @param form of the text that is hashed
 */
public record RowHash(HashSeeds seeds, Function function, TextForm form) {
  public RowHash {
    Objects.requireNonNull(seeds, "seeds");
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(form, "form");
  }

  /** The hash function. */
  public enum Function {
    /** The server's own fast one; only if both sides compute the same. */
    FAST,
    SHA256
  }

  /** The form of the text. */
  public enum TextForm {
    /** Its bytes in UTF-8, as the server's text type holds them. */
    UTF8,
    /** The same bytes in hexadecimal digits, for encodings that cannot hold them. */
    UTF8_HEX
  }
}
