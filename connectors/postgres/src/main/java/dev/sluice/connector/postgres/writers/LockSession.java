package dev.sluice.connector.postgres.writers;

import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A session of its own whose transaction holds the locks, so that its end releases them. The server
 * ends it soon after this process or its machine is gone. Used by one thread.
 */
final class LockSession implements AutoCloseable {

  /** Then this session is the victim of a deadlock, and not the application. */
  private static final Duration DEADLOCK_TIMEOUT = Duration.ofMillis(20);

  /** A server that does not answer for longer than its own limits is gone. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** What is acknowledged then survives a crash of the server. A stronger setting stays. */
  static final String DURABLE =
      "SELECT pg_catalog.set_config('synchronous_commit', 'on', true)"
          + " WHERE pg_catalog.current_setting('synchronous_commit') <> 'remote_apply'";

  private static final int FIRST_WITH_TRANSACTION_TIMEOUT = 17;
  private static final String NOT_ALLOWED = "42501";

  private final Connection connection;
  private final boolean boundsTransactions;
  private final Duration deadlockTimeout;

  private LockSession(Connection connection, boolean boundsTransactions, Duration deadlockTimeout) {
    this.connection = connection;
    this.boundsTransactions = boundsTransactions;
    this.deadlockTimeout = deadlockTimeout;
  }

  /**
   * Opens the session.
   *
   * @param longest how long it holds locks at most
   */
  static LockSession open(SourceServer server, Duration longest) throws SQLException {
    Connection connection = server.open();
    try {
      connection.setNetworkTimeout(
          Runnable::run, (int) Math.min(Integer.MAX_VALUE, longest.plus(SILENCE).toMillis()));
      run(
          connection,
          // Not with BEGIN, which fails then on a standby, also if it only reads.
          "SET default_transaction_read_only = off",
          "SET tcp_keepalives_idle = 2",
          "SET tcp_keepalives_interval = 1",
          "SET tcp_keepalives_count = 3",
          "SET tcp_user_timeout = '5s'");
      return new LockSession(
          connection,
          connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_TRANSACTION_TIMEOUT,
          deadlockTimeout(connection));
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private static Duration deadlockTimeout(Connection connection) throws SQLException {
    try {
      run(connection, "SET deadlock_timeout = " + DEADLOCK_TIMEOUT.toMillis());
    } catch (SQLException e) {
      // Only superusers may set it, and who is granted that.
      if (!NOT_ALLOWED.equals(e.getSQLState())) {
        throw e;
      }
    }
    return Duration.ofMillis(
        Long.parseLong(
            run(
                    connection,
                    "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'deadlock_timeout'")
                .get(0)
                .get(0)));
  }

  /** For statements that others bound. */
  Connection connection() {
    return connection;
  }

  /** After which wait this session looks for a deadlock. */
  Duration deadlockTimeout() {
    return deadlockTimeout;
  }

  /** Whether this session is the victim of every deadlock that it is part of. */
  boolean givesWay() {
    return deadlockTimeout.equals(DEADLOCK_TIMEOUT);
  }

  /** Begins the transaction, which sees what others commit meanwhile. */
  void begin(Duration idle) throws SQLException {
    run(
        "BEGIN ISOLATION LEVEL READ COMMITTED",
        "SET LOCAL idle_in_transaction_session_timeout = " + atLeastOne(idle));
  }

  /** The setting that bounds each further statement of the transaction. */
  static String statementTimeout(Duration timeout) {
    return "SET LOCAL statement_timeout = " + atLeastOne(timeout);
  }

  /** The settings by which the server ends the transaction, also without a statement. */
  List<String> end(Duration left) {
    List<String> settings = new ArrayList<>();
    settings.add("SET LOCAL idle_in_transaction_session_timeout = " + atLeastOne(left));
    if (boundsTransactions) {
      // Counts from here on, since none was set before.
      settings.add("SET LOCAL transaction_timeout = " + atLeastOne(left));
    }
    return settings;
  }

  /** The setting that bounds the wait for a lock. */
  static String lockTimeout(Duration timeout) {
    return "SET LOCAL lock_timeout = " + atLeastOne(timeout);
  }

  /** Zero would mean without a limit. */
  private static long atLeastOne(Duration duration) {
    return Math.max(1, duration.toMillis());
  }

  /**
   * Runs statements in one round trip.
   *
   * @return the rows of the last one that has any, as text
   */
  List<List<String>> run(List<String> statements) throws SQLException {
    return run(statements.toArray(String[]::new));
  }

  List<List<String>> run(String... statements) throws SQLException {
    return run(connection, statements);
  }

  private static List<List<String>> run(Connection connection, String... statements)
      throws SQLException {
    List<List<String>> rows = List.of();
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      boolean isResult = statement.execute(String.join(";\n", statements));
      while (isResult || statement.getUpdateCount() >= 0) {
        if (isResult) {
          rows = rows(statement);
        }
        isResult = statement.getMoreResults();
      }
    }
    return rows;
  }

  private static List<List<String>> rows(Statement statement) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (ResultSet result = statement.getResultSet()) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>(columns);
        for (int column = 1; column <= columns; column++) {
          row.add(result.getString(column));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  /** Releases all locks; the session can be used on. */
  void rollback() throws SQLException {
    run("ROLLBACK");
  }

  /** Closes the socket, by any thread: the server releases all locks when it sees that. */
  void cut() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is closed already.
    }
  }

  /** Releases all locks. Fails never: what the server does not hear ends by its own limits. */
  @Override
  public void close() {
    try {
      run("ROLLBACK");
    } catch (SQLException e) {
      // The server has ended the session, or cannot be reached.
    }
    try {
      connection.close();
    } catch (SQLException e) {
      // The same.
    }
  }
}
