package dev.sluice.sink.target;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session on the target, in manual commit. Owned by the thread that opened it.
 *
 * <p>Sessions commit without waiting for the target's disk; what must be durable sets {@code
 * synchronous_commit} for its own transaction.
 */
public final class TargetConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TargetConnection.class);

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

  private final Connection jdbc;
  private final boolean replicaRole;
  private final int majorVersion;
  private final StatementPipeline pipeline;

  private TargetConnection(Connection jdbc, boolean replicaRole, int majorVersion)
      throws SQLException {
    this.jdbc = jdbc;
    this.pipeline = new StatementPipeline(jdbc);
    this.replicaRole = replicaRole;
    this.majorVersion = majorVersion;
  }

  static TargetConnection open(Connection jdbc) throws SQLException {
    try {
      int majorVersion = jdbc.getMetaData().getDatabaseMajorVersion();
      boolean replicaRole;
      try (Statement statement = jdbc.createStatement()) {
        statement.execute(SETTINGS);
        replicaRole = takeReplicaRole(statement);
      }
      jdbc.setAutoCommit(false);
      return new TargetConnection(jdbc, replicaRole, majorVersion);
    } catch (SQLException e) {
      jdbc.close();
      throw e;
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

  public Connection jdbc() {
    return jdbc;
  }

  /** Whether foreign keys, triggers and rules of the target are off in this session. */
  public boolean replicaRole() {
    return replicaRole;
  }

  public int majorVersion() {
    return majorVersion;
  }

  /** The pipeline for statements that are sent together. */
  public StatementPipeline pipeline() {
    return pipeline;
  }

  public CopyManager copy() throws SQLException {
    return jdbc.unwrap(PGConnection.class).getCopyAPI();
  }

  /** Runs a statement without parameters, unprepared. Returns the number of rows it changed. */
  public long execute(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      return statement.executeLargeUpdate(sql);
    }
  }

  /** Whether a query returns at least one row. */
  public boolean exists(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next();
    }
  }

  /** Rolls back the open transaction. Does not fail on a broken connection. */
  public void rollback() {
    try {
      jdbc.rollback();
    } catch (SQLException e) {
      LOG.debug("roll back on a broken connection", e);
    }
  }

  /** Closes the socket, so that the owner's current call fails. From any thread. */
  public void abort() {
    try {
      jdbc.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("abort a session", e);
    }
  }

  /**
   * Cancels the running statement on the server, then aborts as above. Without the cancel, a
   * statement that waits for a lock would keep its own locks. From any thread.
   */
  public void breakOff() {
    try {
      jdbc.unwrap(PGConnection.class).cancelQuery();
    } catch (SQLException e) {
      LOG.debug("cancel a statement", e);
    }
    abort();
  }

  /** Closes the session or gives it back; an open transaction is rolled back. Idempotent. */
  @Override
  public void close() {
    try {
      jdbc.close();
    } catch (SQLException e) {
      LOG.debug("close of a broken connection", e);
    }
  }
}
