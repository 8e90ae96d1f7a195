package dev.sluice.connector.comparison.printed;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A type as PostgreSQL prints it. Immutable.
 *
 * @param first its first modifier; -1 if it has none
 * @param second its second modifier; 0 if it has none
 */
public record PrintedType(String name, int first, int second) {
  private static final int SECOND_DIGITS = 6;

  private static final Pattern PRINTED =
      Pattern.compile("([a-z ]+?)(?:\\((\\d+)(?:,(-?\\d+))?\\))?( with(?:out)? time zone)?");

  public static PrintedType of(String printed) {
    Matcher parts = PRINTED.matcher(printed);
    if (!parts.matches()) {
      // An array, a type with a schema, or an interval with fields.
      return new PrintedType(printed, -1, 0);
    }
    return new PrintedType(
        parts.group(1) + (parts.group(4) == null ? "" : parts.group(4)),
        parts.group(2) == null ? -1 : Integer.parseInt(parts.group(2)),
        parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3)));
  }

  /** Digits of a fraction of a second. */
  public int secondDigits() {
    return first < 0 ? SECOND_DIGITS : first;
  }
}
