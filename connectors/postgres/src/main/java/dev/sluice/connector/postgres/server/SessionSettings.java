package dev.sluice.connector.postgres.server;

import java.util.List;

/**
 * The settings of every session on the source: how values are printed, which names are found
 * without a schema, and that row security raises an error instead of hiding rows. They are set
 * before any other statement and override the defaults of role and database.
 */
public final class SessionSettings {

  /*
   * Rows are transferred as text, so each setting that changes a value's text or a statement's meaning is
   * set. Without standard_conforming_strings a backslash in a literal has another meaning.
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
          // The planner takes questions about the catalog, and a load's many rows, for worth
          // compiling. That takes seconds, and gains nothing.
          "SET jit TO off",
          // What Sluice alters on tables that a cutover has closed is its own to alter.
          "SET sluice_moved.ddl TO 'allowed'",
          "SET statement_timeout TO 0",
          "SET lock_timeout TO 0",
          "SET idle_in_transaction_session_timeout TO 0",
          "SET tcp_keepalives_idle TO 30",
          "SET tcp_keepalives_interval TO 10",
          "SET tcp_keepalives_count TO 3",
          // Only newer servers have these, and SET would fail on an older one. The view pg_settings
          // would compute all settings for each session. The last one ends the statements of a
          // lost daemon, also while they wait for a lock; on some systems it can only be 0.
          "SELECT pg_catalog.set_config(name, value, false) FROM (VALUES"
              + " ('idle_session_timeout', '0'), ('transaction_timeout', '0'),"
              + " ('client_connection_check_interval',"
              + " CASE WHEN pg_catalog.version() ~ 'linux' THEN '10s' ELSE '0' END))"
              + " AS known (name, value)"
              + " WHERE pg_catalog.current_setting(name, true) IS NOT NULL");

  private SessionSettings() {}
}
