package dev.sluice.connector.api.comparison;

import java.util.Objects;

/**
 * How a row becomes two numbers of 64 bits. Immutable.
 *
 * @param form of the row that is hashed; the binary one only with the fast function
 */
public record RowHash(HashSeeds seeds, Function function, RowForm form) {
  public RowHash {
    Objects.requireNonNull(seeds, "seeds");
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(form, "form");
    if (form == RowForm.BINARY && function != Function.FAST) {
      throw new IllegalArgumentException("BUG: binary rows are hashed by the fast function");
    }
  }

  /** The fastest hash that both sides compute alike. */
  public static RowHash of(HashSeeds seeds, SideForm source, SideForm target) {
    boolean alike = isSame(source.hashed(), target.hashed());
    if (alike && isSame(source.sent(), target.sent())) {
      return new RowHash(seeds, Function.FAST, RowForm.BINARY);
    }
    return new RowHash(
        seeds,
        alike ? Function.FAST : Function.SHA256,
        source.keepsUtf8() && target.keepsUtf8() ? RowForm.UTF8 : RowForm.UTF8_HEX);
  }

  /** Whether both sides made the same of a sample; not if one made nothing. */
  private static boolean isSame(String ofSource, String ofTarget) {
    return !ofSource.isEmpty() && ofSource.equals(ofTarget);
  }

  /** The hash function. */
  public enum Function {
    /** The server's own fast one; only if both sides compute the same. */
    FAST,
    SHA256
  }

  /** The form of a row. */
  public enum RowForm {
    /**
     * The binary form of exact values, which is made in half the time, and the text of others; only
     * if both databases are in UTF-8, and both servers make the same of samples.
     */
    BINARY,
    /** Its text in the bytes of UTF-8, as the server's text type holds them. */
    UTF8,
    /** The same bytes in hexadecimal digits, for encodings that cannot hold them. */
    UTF8_HEX
  }
}
