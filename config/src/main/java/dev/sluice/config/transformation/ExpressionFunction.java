package dev.sluice.config.transformation;

import java.util.Map;
import java.util.TreeMap;

/**
 * A function of SQLite's that means the same in PostgreSQL. Immutable.
 *
 * @param name in PostgreSQL
 * @param least how many arguments it takes
 * @param most how many it takes at most
 */
record ExpressionFunction(String name, int least, int most, Arguments arguments) {

  /** What it is given. */
  enum Arguments {
    /** Values of any type. */
    ANY,
    /** Texts, which SQLite makes of whatever it is given. */
    TEXTS,
    /** A text, and constants: a place in it and a length. */
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
          Map.entry("random", "has another value each time"),
          Map.entry("randomblob", "has another value each time"),
          Map.entry("operation_indicator", "hangs on the change, and the column is the row's"),
          Map.entry("max", "treats NULL otherwise than PostgreSQL's greatest"),
          Map.entry("min", "treats NULL otherwise than PostgreSQL's least"),
          Map.entry("round", "rounds halves otherwise than PostgreSQL"),
          Map.entry("date", "reads any text as a date"),
          Map.entry("time", "reads any text as a time"),
          Map.entry("datetime", "reads any text as a time"),
          Map.entry("julianday", "reads any text as a time"),
          Map.entry("strftime", "reads any text as a time"),
          Map.entry(
              "hash_sha256", "is not computed by PostgreSQL without looking at the encoding"));

  private static ExpressionFunction ofTexts(String name, int least, int most) {
    return new ExpressionFunction(name, least, most, Arguments.TEXTS);
  }

  private static ExpressionFunction ofAny(String name, int least, int most) {
    return new ExpressionFunction(name, least, most, Arguments.ANY);
  }

  /**
   * @param name in SQLite, in lower case
   * @throws IllegalArgumentException saying why it is not taken
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
