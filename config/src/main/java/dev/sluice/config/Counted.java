package dev.sluice.config;

import java.util.Locale;

/** A number of things in words, for messages. Stateless. */
public final class Counted {
  private Counted() {}

  /**
   * {@code 1 table}, {@code 0 tables}, {@code 41,200 tables}.
   *
   * @param thing in the singular; its plural ends in s
   */
  public static String of(long count, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", count, thing, count == 1 ? "" : "s");
  }
}
