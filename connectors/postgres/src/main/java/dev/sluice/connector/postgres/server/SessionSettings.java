package dev.sluice.connector.postgres.server;

import java.util.List;

/**
 * What every session on the source sets: how values are printed, which names are found without a
 * schema, and that row security raises an error instead of hiding rows. They come before any other
 * statement, whatever the defaults of role and database.
 */
public final class SessionSettings {

  /*
   * Rows travel as text: everything on which the text of a value, or how a statement is read, hangs
   * is pinned. A literal with a backslash means something else without standard_conforming_strings.
   */
  public static final List<String> STATEMENTS =
      List.of(
          "SET standard_conforming_strings TO on",
          "SET DateStyle TO 'ISO, MDY'",
          "SET IntervalStyle TO 'postgres'",
          "SET TimeZone TO 'UTC'",
          "SET extra_float_digits TO 3",
          "SET bytea_output TO 'hex'",
          "SET xmloption TO content",
          "SET lc_monetary TO 'C'",
          "SET array_nulls TO on",
          "SET transform_null_equals TO off",
          "SET client_encoding TO 'UTF8'",
          "SET quote_all_identifiers TO off",
          "SET search_path TO pg_catalog, pg_temp",
          "SET row_security TO off",
          "SET statement_timeout TO 0",
          "SET lock_timeout TO 0",
          "SET idle_in_transaction_session_timeout TO 0",
          "SET tcp_keepalives_idle TO 30",
          "SET tcp_keepalives_interval TO 10",
          "SET tcp_keepalives_count TO 3",
          // Newer servers alone know these, and by SET an older one would fail; the view
          // pg_settings would make the server show all its settings for each session. What a
          // vanished daemon has begun ends by the last one, also while it waits for a lock; on some
          // systems it can only be 0.
          "SELECT pg_catalog.set_config(name, value, false) FROM (VALUES"
              + " ('idle_session_timeout', '0'), ('transaction_timeout', '0'),"
              + " ('client_connection_check_interval',"
              + " CASE WHEN pg_catalog.version() ~ 'linux' THEN '10s' ELSE '0' END))"
              + " AS known (name, value)"
              + " WHERE pg_catalog.current_setting(name, true) IS NOT NULL");

  private SessionSettings() {}
}
