package dev.sluice.connector.comparison.printed;

import java.util.Set;

/**
 * Decides after which changes of a column's type older values have the same text on source and
 * target, if each changes the type by itself. Other values may be rounded, cut or moved to another
 * time zone. Pure.
 */
public final class KeptTexts {
  private static final Set<String> WHOLE = Set.of("smallint", "integer", "bigint");
  private static final Set<String> TEXTS = Set.of("text", "character varying");
  private static final Set<String> TIMES =
      Set.of("timestamp without time zone", "timestamp with time zone", "time without time zone");

  private KeptTexts() {}

  /**
   * @param before the type as PostgreSQL prints it
   */
  public static boolean areKept(String before, String after) {
    PrintedType from = PrintedType.of(before);
    PrintedType to = PrintedType.of(after);
    if (from.equals(to)) {
      return true;
    }
    if (WHOLE.contains(from.name())) {
      // A negative scale rounds.
      return WHOLE.contains(to.name())
          || to.name().equals("numeric") && to.second() >= 0
          || isText(to);
    }
    if (from.name().equals("numeric")) {
      return isText(to)
          || to.name().equals("numeric")
              && (to.first() < 0 || from.first() > 0 && to.second() >= from.second());
    }
    if (TEXTS.contains(from.name())) {
      // Trailing spaces of a text that is too long are cut without an error.
      return isText(to) && (to.first() < 0 || from.first() > 0 && to.first() >= from.first());
    }
    if (TIMES.contains(from.name())) {
      return to.name().equals(from.name()) && to.secondDigits() >= from.secondDigits();
    }
    return from.name().equals("uuid") && isText(to);
  }

  private static boolean isText(PrintedType type) {
    return TEXTS.contains(type.name());
  }
}
