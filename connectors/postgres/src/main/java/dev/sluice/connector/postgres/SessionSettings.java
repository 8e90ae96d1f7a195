package dev.sluice.connector.postgres;

import java.util.List;

/**
 * What every session on the source sets: how values are printed, which names are found without a
 * schema, and that row security raises an error instead of hiding rows. They come before any other
 * statement, whatever the defaults of role and database.
 */
public final class SessionSettings {

  public static final List<String> STATEMENTS =
      List.of(
          "SET DateStyle TO 'ISO, MDY'",
          "SET IntervalStyle TO 'postgres'",
          "SET TimeZone TO 'UTC'",
          "SET extra_float_digits TO 3",
          "SET bytea_output TO 'hex'",
          "SET client_encoding TO 'UTF8'",
          "SET quote_all_identifiers TO off",
          "SET search_path TO ''",
          "SET row_security TO off",
          "SET statement_timeout TO 0",
          "SET lock_timeout TO 0",
          "SET idle_in_transaction_session_timeout TO 0");

  private SessionSettings() {}
}
