package dev.sluice.connector.postgres.server;

import java.util.regex.Pattern;

/** Texts that PostgreSQL reads as a date or time, and as another one each time. Stateless. */
public final class MovingTime {

  /** Anywhere: {@code 12:00 today} is read as well. */
  private static final Pattern WORD =
      Pattern.compile("(?i)(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])");

  private MovingTime() {}

  public static boolean isOne(String text) {
    return WORD.matcher(text).find();
  }
}
