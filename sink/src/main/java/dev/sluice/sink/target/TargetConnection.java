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
          // Else a backslash in a literal of ours means something else, and the NULL in an array
          // is a word.
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
          // Newer servers alone know these, and by SET an older one would fail.
          "SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings"
              + " WHERE name IN ('idle_session_timeout', 'transaction_timeout')",
          // A row lock held by a session whose client is gone must not outlive it for hours.
          "SET tcp_keepalives_idle = 30",
          "SET tcp_keepalives_interval = 10",
          "SET tcp_keepalives_count = 3",
          // The same while a statement runs or waits for a lock, and for an answer that nobody
          // acknowledges. Newer servers know these, and some systems take no other value than 0.
          "SELECT pg_catalog.set_config(name, CASE name WHEN 'tcp_user_timeout' THEN '60s'"
              + " ELSE '10s' END, false) FROM pg_catalog.pg_settings"
              + " WHERE name IN ('client_connection_check_interval', 'tcp_user_timeout')"
              + " AND pg_catalog.version() ~ 'linux'",
          "SET jit = off",
          // Changes come with their keys. At the default, PostgreSQL would rather read a table of
          // millions of rows from end to end than look some thousands up.
          "SET random_page_cost = 1.1",
          // Sets come in the order of their keys. A merge or a walk through the index keeps that
          // order, so that each page is visited once; a hash join loses it, and reads whole tables.
          "SET enable_hashjoin = off",
          // Room for the sort below a merge, and for a staged set to stay out of files. Taken as
          // needed; temp_buffers can only be set before the session's first temporary table.
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

  /** For statements that are sent together. */
  public StatementPipeline pipeline() {
    return pipeline;
  }

  public CopyManager copy() throws SQLException {
    return jdbc.unwrap(PGConnection.class).getCopyAPI();
  }

  /** Runs a statement without parameters; planned anew each time. Returns the rows it changed. */
  public long execute(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      return statement.executeLargeUpdate(sql);
    }
  }

  /** Whether a query gives at least one row. */
  public boolean exists(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next();
    }
  }

  /** Ends the open transaction without its changes; a broken connection does that by itself. */
  public void rollback() {
    try {
      jdbc.rollback();
    } catch (SQLException e) {
      LOG.debug("roll back on a broken connection", e);
    }
  }

  /** Breaks off whatever the owner waits for; it gets an exception. From any thread. */
  public void abort() {
    try {
      jdbc.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("abort a session", e);
    }
  }

  /**
   * The same, and asks the server to end the statement that runs: one that waits for a lock would
   * else hold its own until it has got it. From any thread.
   */
  public void breakOff() {
    try {
      jdbc.unwrap(PGConnection.class).cancelQuery();
    } catch (SQLException e) {
      LOG.debug("cancel a statement", e);
    }
    abort();
  }

  /** Idempotent; the server ends what was open. */
  @Override
  public void close() {
    try {
      jdbc.close();
    } catch (SQLException e) {
      LOG.debug("close of a broken connection", e);
    }
  }
}
