package dev.sluice.connector.comparison;

import java.time.Duration;

/**
 * The settings of every session of a comparison: those that change a value's text are the same on
 * both sides, and the server ends a session whose client has vanished.
 */
final class SideSettings {
  /** How much longer than its snapshot's life a session may be idle before the server ends it. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  private static final String PINNED =
      String.join(
          ";",
          "SET standard_conforming_strings = on",
          "SET extra_float_digits = 3",
          "SET DateStyle = 'ISO, YMD'",
          "SET IntervalStyle = postgres",
          "SET TimeZone = 'UTC'",
          "SET bytea_output = hex",
          "SET xmloption = content",
          "SET lc_monetary = 'C'",
          "SET array_nulls = on",
          "SET quote_all_identifiers = off",
          "SET search_path = pg_catalog, pg_temp",
          "SET client_encoding = 'UTF8'",
          // With row security, an error instead of hidden rows.
          "SET row_security = off",
          "SET default_transaction_isolation = 'read committed'",
          "SET default_transaction_deferrable = off",
          // Reads are short, or of cached pages: one process, no JIT compilation, and keys are
          // found by their index.
          "SET jit = off",
          "SET max_parallel_workers_per_gather = 0",
          "SET random_page_cost = 1.1",
          "SET work_mem = '32MB'");

  private SideSettings() {}

  /** The statements that fix the text of values, on one line. */
  static String pinned() {
    return PINNED + ";";
  }

  /** How long a statement of a session may take. */
  static Duration longest(Duration life) {
    return life.plus(GRACE);
  }

  /** The statements for a session of a view. */
  static String of(Duration life) {
    return PINNED
        + ";SET idle_in_transaction_session_timeout = "
        + longest(life).toMillis()
        + ";SET statement_timeout = "
        + longest(life).toMillis();
  }
}
