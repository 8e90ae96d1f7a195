package dev.sluice.sink.target.postgres;

import dev.sluice.config.internals.PgjdbcInternals;
import dev.sluice.config.net.SessionPool;
import dev.sluice.config.net.TimedLogin;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import org.postgresql.PGConnection;

/** Sessions on PostgreSQL. Stateless. */
final class PostgresSessions implements TargetSessions {
  private static final String SETTINGS =
      String.join(
          ";",
          // Otherwise a backslash in our literals is an escape, and NULL in an array is a word.
          "SET standard_conforming_strings = on",
          "SET array_nulls = on",
          "SET transform_null_equals = off",
          "SET quote_all_identifiers = off",
          "SET search_path = pg_catalog, pg_temp",
          "SET row_security = off",
          "SET synchronous_commit = off",
          "SET DateStyle = 'ISO, YMD'",
          "SET IntervalStyle = postgres",
          "SET TimeZone = 'UTC'",
          "SET extra_float_digits = 3",
          "SET bytea_output = hex",
          "SET xmloption = content",
          "SET lc_monetary = 'C'",
          "SET client_encoding = 'UTF8'",
          "SET standard_conforming_strings = on",
          "SET default_transaction_read_only = off",
          "SET default_transaction_isolation = 'read committed'",
          "SET statement_timeout = 0",
          "SET lock_timeout = 0",
          "SET idle_in_transaction_session_timeout = 0",
          // Ends the session of a lost client soon, so that its row locks do not stay for hours.
          "SET tcp_keepalives_idle = 30",
          "SET tcp_keepalives_interval = 10",
          "SET tcp_keepalives_count = 3",
          // tcp_user_timeout and client_connection_check_interval do the same while a statement
          // runs or waits for a lock, and for unacknowledged results. Only newer servers have the
          // settings of this list, and SET would fail on an older one; the view pg_settings would
          // compute all settings for each session. Some systems accept only the value 0.
          "SELECT pg_catalog.set_config(name, value, false) FROM (VALUES"
              + " ('idle_session_timeout', '0'), ('transaction_timeout', '0'),"
              + " ('tcp_user_timeout',"
              + " CASE WHEN pg_catalog.version() ~ 'linux' THEN '60s' ELSE '0' END),"
              + " ('client_connection_check_interval',"
              + " CASE WHEN pg_catalog.version() ~ 'linux' THEN '10s' ELSE '0' END))"
              + " AS known (name, value)"
              + " WHERE pg_catalog.current_setting(name, true) IS NOT NULL",
          "SET jit = off",
          // Changes are matched by key. With the default, PostgreSQL prefers a sequential scan of
          // millions of rows to some thousand index lookups.
          "SET random_page_cost = 1.1",
          // Staged sets are sorted by key. Merge joins and index scans keep that order, so each
          // page is visited once. A hash join loses it and reads complete tables.
          "SET enable_hashjoin = off",
          // Memory for the sort of a merge join, and to keep staged sets out of files. Allocated
          // as needed; temp_buffers must be set before the session's first temporary table.
          "SET work_mem = '64MB'",
          "SET temp_buffers = '64MB'");

  private static final String PERMISSION_DENIED = "42501";

  @Override
  public void requireDriver() {
    PgjdbcInternals.require();
  }

  @Override
  public Connection connect(TargetLogin login) throws SQLException {
    Properties properties =
        TimedLogin.properties(login.user(), login.password(), login.applicationName());
    properties.setProperty("stringtype", "unspecified");
    properties.setProperty("prepareThreshold", login.statementCacheSize() == 0 ? "0" : "3");
    properties.setProperty(
        "preparedStatementCacheQueries", Integer.toString(login.statementCacheSize()));
    return TimedLogin.open(login.jdbcUrl(), properties);
  }

  @Override
  public boolean prepare(Connection jdbc) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(SETTINGS);
      return takeReplicaRole(statement);
    }
  }

  private static boolean takeReplicaRole(Statement statement) throws SQLException {
    try {
      statement.execute("SET session_replication_role = replica");
      return true;
    } catch (SQLException e) {
      if (PERMISSION_DENIED.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void reset(Connection jdbc) throws SQLException {
    execute(jdbc, SessionPool.RESET);
  }

  @Override
  public String endWithoutHost() {
    return "ends by itself after about a minute";
  }

  @Override
  public StatementPipeline pipeline(Connection jdbc) throws SQLException {
    return new PostgresPipeline(jdbc);
  }

  @Override
  public void cancel(Connection jdbc) throws SQLException {
    jdbc.unwrap(PGConnection.class).cancelQuery();
  }

  @Override
  public void commitDurably(Connection jdbc) throws SQLException {
    execute(jdbc, "SET LOCAL synchronous_commit = on");
  }

  @Override
  public void waitForLocks(Connection jdbc, Duration timeout) throws SQLException {
    execute(jdbc, "SET LOCAL lock_timeout = " + timeout.toMillis());
  }

  @Override
  public void limitTransaction(Connection jdbc, Duration limit) throws SQLException {
    execute(
        jdbc,
        "SET LOCAL statement_timeout = %1$d; SET LOCAL idle_in_transaction_session_timeout = %1$d"
            .formatted(limit.toMillis()));
  }

  private static void execute(Connection jdbc, String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public Optional<String> forgetStatements() {
    return Optional.of("DEALLOCATE ALL");
  }

  @Override
  public Optional<String> deferConstraints() {
    return Optional.of("SET CONSTRAINTS ALL DEFERRED");
  }

  @Override
  public Optional<String> checkConstraints() {
    return Optional.of("SET CONSTRAINTS ALL IMMEDIATE");
  }
}
