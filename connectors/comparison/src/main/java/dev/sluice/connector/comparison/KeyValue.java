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
  private static final Pattern INTEGER = Pattern.compile("-?\\d+");

  private static final Map<String, Pattern> OTHERS =
      Map.of(
          "numeric", Pattern.compile("-?(\\d+(\\.\\d+)?|Infinity)|NaN"),
          "uuid", Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}"));

  private KeyValue() {}

  /**
   * Whether the column may have a value with this text. For most types the answer is always yes.
   *
   * @param text may be null
   */
  static boolean isPossible(KnownColumn column, String text) {
    if (text == null) {
      return true;
    }
    String type = column.typeName();
    return BITS.containsKey(type)
        ? INTEGER.matcher(text).matches() && new BigInteger(text).bitLength() <= BITS.get(type)
        : !OTHERS.containsKey(type) || OTHERS.get(type).matcher(text).matches();
  }

  /**
   * The type of the bounds of ranges. Other sides sort integers likewise, whatever their size, and
   * the server compares integers of two sizes.
   *
   * @param texts none is null
   */
  static String typeOfBounds(KnownColumn column, Stream<String> texts) {
    return BITS.containsKey(column.typeName()) && !texts.allMatch(text -> isPossible(column, text))
        ? "int8"
        : column.bareName();
  }
}
