package dev.sluice.config.transformation;

import java.util.Map;
import java.util.TreeMap;

/**
 * A function of SQLite that PostgreSQL has with the same result. Immutable.
 *
 * @param name in PostgreSQL
 * @param least the smallest number of arguments
 * @param most the largest number of arguments
 */
record ExpressionFunction(String name, int least, int most, Arguments arguments) {

  /** The types of its arguments. */
  enum Arguments {
    /** Values of any type. */
    ANY,
    /** Texts; SQLite converts other values to text. */
    TEXTS,
    /** A text, and constants for start and length. */
    TEXT_AND_PLACES
  }

  private static final ExpressionFunction SUBSTR =
      new ExpressionFunction("substr", 2, 3, Arguments.TEXT_AND_PLACES);

  private static final Map<String, ExpressionFunction> OTHERS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("lower", ofTexts("lower", 1, 1)),
              Map.entry("upper", ofTexts("upper", 1, 1)),
              Map.entry("ltrim", ofTexts("ltrim", 1, 2)),
              Map.entry("rtrim", ofTexts("rtrim", 1, 2)),
              Map.entry("trim", ofTexts("btrim", 1, 2)),
              Map.entry("replace", ofTexts("replace", 3, 3)),
              Map.entry("length", ofTexts("length", 1, 1)),
              Map.entry("instr", ofTexts("strpos", 2, 2)),
              Map.entry("abs", ofAny("abs", 1, 1)),
              Map.entry("coalesce", ofAny("coalesce", 2, 100)),
              Map.entry("ifnull", ofAny("coalesce", 2, 2)),
              Map.entry("nullif", ofAny("nullif", 2, 2))));

  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("random", "has a different value each time"),
          Map.entry("randomblob", "has a different value each time"),
          Map.entry(
              "operation_indicator",
              "depends on the change, but the column is computed from the row"),
          Map.entry("max", "treats NULL differently from PostgreSQL's greatest"),
          Map.entry("min", "treats NULL differently from PostgreSQL's least"),
          Map.entry("round", "rounds halves differently from PostgreSQL"),
          Map.entry("date", "reads any text as a date"),
          Map.entry("time", "reads any text as a time"),
          Map.entry("datetime", "reads any text as a time"),
          Map.entry("julianday", "reads any text as a time"),
          Map.entry("strftime", "reads any text as a time"),
          Map.entry("hash_sha256", "depends on the database's encoding in PostgreSQL"));

  private static ExpressionFunction ofTexts(String name, int least, int most) {
    return new ExpressionFunction(name, least, most, Arguments.TEXTS);
  }

  private static ExpressionFunction ofAny(String name, int least, int most) {
    return new ExpressionFunction(name, least, most, Arguments.ANY);
  }

  /**
   * @param name in SQLite, in lower case
   * @throws IllegalArgumentException with the reason if it is not supported
   */
  static ExpressionFunction named(String name) {
    if (REFUSED.containsKey(name)) {
      throw new IllegalArgumentException(name + "() " + REFUSED.get(name));
    }
    if (name.equals("substr") || name.equals("substring")) {
      return SUBSTR;
    }
    ExpressionFunction function = OTHERS.get(name);
    if (function == null) {
      throw new IllegalArgumentException(
          name + "() is not one of: substr, " + String.join(", ", OTHERS.keySet()));
    }
    return function;
  }

  boolean takes(int count) {
    return least <= count && count <= most;
  }
}
