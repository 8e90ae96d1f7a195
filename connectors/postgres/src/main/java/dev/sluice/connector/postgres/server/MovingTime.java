package dev.sluice.connector.postgres.server;

import java.util.regex.Pattern;

/**
 * Recognizes literals such as {@code now} or {@code today}, whose value changes with time.
 * Stateless.
 */
public final class MovingTime {

  /** Anywhere in the text: PostgreSQL accepts {@code 12:00 today}, too. */
  private static final Pattern WORD =
      Pattern.compile("(?i)(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])");

  private MovingTime() {}

  public static boolean isOne(String text) {
    return WORD.matcher(text).find();
  }
}
