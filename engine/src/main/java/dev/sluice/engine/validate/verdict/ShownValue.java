package dev.sluice.engine.validate.verdict;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How rows that differ show a value for messages: a large one by its length and digest. A text
 * counts by its characters, bytes by themselves. Stateless.
 */
public final class ShownValue {
  /** A value whose text is longer may be shown by its digest. */
  private static final int LARGE = 8 * 1024;

  private static final Pattern DIGEST =
      Pattern.compile("length ([0-9]{1,12}), sha256 ([0-9a-f]{64})");

  /** How bytes are printed. */
  private static final String HEX = "\\x";

  private ShownValue() {}

  /** Whether a value is shown by its digest, or may be. */
  public static boolean isLarge(String value) {
    return value != null && (value.length() > LARGE || DIGEST.matcher(value).matches());
  }

  /** Whether a complete value is the one that is shown. */
  public static boolean isOf(String shown, String complete) {
    if (Objects.equals(shown, complete)) {
      return true;
    }
    if (shown == null || complete == null || complete.length() <= LARGE) {
      return false;
    }
    Matcher digest = DIGEST.matcher(shown);
    return digest.matches()
        && (digestOf(complete).equals(shown)
            || bytesOf(complete)
                .filter(bytes -> digest(bytes.length, bytes).equals(shown))
                .isPresent());
  }

  /** A value as people see it. */
  public static String of(String complete) {
    return complete == null || complete.codePointCount(0, complete.length()) <= LARGE
        ? complete
        : digestOf(complete);
  }

  private static String digestOf(String text) {
    return digest(text.codePointCount(0, text.length()), text.getBytes(StandardCharsets.UTF_8));
  }

  private static Optional<byte[]> bytesOf(String text) {
    try {
      return text.startsWith(HEX)
          ? Optional.of(HexFormat.of().parseHex(text, HEX.length(), text.length()))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String digest(int length, byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "length %d, sha256 %s".formatted(length, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: every Java has SHA-256", e);
    }
  }
}
