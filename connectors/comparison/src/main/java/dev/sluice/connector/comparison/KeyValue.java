package dev.sluice.connector.comparison;

import java.math.BigInteger;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tells which texts a key column can have. The other side's column may have a wider type, and one
 * row there must not keep the table from being compared: a cast of its key would fail. Pure.
 */
final class KeyValue {
  private static final Map<String, Integer> BITS = Map.of("int2", 15, "int4", 31, "int8", 63);
  private static final Pattern DECIMAL = Pattern.compile("[+-]?\\d+");

  /** More than PostgreSQL 18 accepts. Older servers accept less, and none accepts more. */
  private static final Pattern INTEGER =
      Pattern.compile("(?i)\\s*[+-]?(\\d[\\d_]*|0[xob][\\da-f_]+)\\s*");

  private static final Pattern NUMERIC =
      Pattern.compile(
          "(?i)\\s*[+-]?([\\d._]+(e[+-]?[\\d_]+)?|0[xob][\\da-f_]+|inf(inity)?|nan)\\s*");

  private static final Pattern UUID = Pattern.compile("\\{?(\\p{XDigit}{4}-?){8}\\}?");

  private KeyValue() {}

  /**
   * Whether the column may have a value that is written so. The answer no is certain; for most
   * types it is always yes.
   *
   * @param text may be null
   */
  static boolean isPossible(String type, String text) {
    if (text == null) {
      return true;
    }
    return switch (type) {
      case "int2", "int4", "int8" ->
          INTEGER.matcher(text).matches()
              && (!DECIMAL.matcher(text).matches()
                  || new BigInteger(text).bitLength() <= BITS.get(type));
      case "numeric" -> NUMERIC.matcher(text).matches();
      case "uuid" -> UUID.matcher(text).matches();
      default -> true;
    };
  }

  /**
   * The type of the bounds of ranges. Other sides sort integers likewise, whatever their size, and
   * the server compares integers of two sizes.
   *
   * @param texts none is null
   */
  static String typeOfBounds(KnownColumn column, Stream<String> texts) {
    return BITS.containsKey(column.typeName())
            && !texts.allMatch(text -> isPossible(column.typeName(), text))
        ? "int8"
        : column.bareName();
  }
}
