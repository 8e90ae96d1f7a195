package dev.sluice.target.mariadb;

import dev.sluice.config.net.WatchedSockets;
import dev.sluice.sink.target.BatchedPipeline;
import dev.sluice.sink.target.StatementLimit;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.mariadb.catalog.CommitDurability;
import dev.sluice.target.mariadb.control.LockingConnection;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ValueForm;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.mariadb.jdbc.Driver;

/** Sessions on MariaDB or MySQL. Stateless. */
final class MariadbSessions implements TargetSessions {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private static final int IDLE_SECONDS = 86_400;

  private static final int NETWORK_SECONDS = 600;

  private final ServerKind server;

  MariadbSessions(ServerKind server) {
    this.server = server;
  }

  /*
   * NO_AUTO_VALUE_ON_ZERO: a 0 of the source is a 0. foreign_key_checks = 0: no cascade acts on
   * applied changes, and their order is that of the source. Notes count as warnings, since any
   * warning of LOAD DATA is an error.
   */
  private List<String> settings() {
    return List.of(
        "SET NAMES utf8mb4 COLLATE " + server.binaryCollation(),
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
        "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
            + "ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION,"
            + "ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES"
            + server.moreModes()
            + "', time_zone = '+00:00', foreign_key_checks = 0, unique_checks = 1,"
            + " sql_safe_updates = 0, sql_notes = 1,"
            // Without these the session would take the server's values.
            + " sql_select_limit = 18446744073709551615, sql_big_selects = 1, completion_type = 0,"
            + " group_concat_max_len = 1048576, sql_quote_show_create = 1,"
            + " innodb_lock_wait_timeout = 50, lock_wait_timeout = 50, "
            + timeouts(NETWORK_SECONDS, IDLE_SECONDS)
            + ", "
            + server.settings());
  }

  @Override
  public void requireDriver() {
    // Only its public interfaces are used.
  }

  @Override
  public Connection connect(TargetLogin login) throws SQLException {
    Optional<String> open = UrlEncryption.problem(server, login);
    if (open.isPresent()) {
      throw new SQLException(open.get(), "42000", MariadbErrors.NOT_SUPPORTED);
    }
    Properties properties = new Properties();
    properties.setProperty("user", login.user());
    if (login.password() != null) {
      properties.setProperty("password", login.password());
    }
    properties.setProperty("connectTimeout", Long.toString(CONNECT.toMillis()));
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty(WatchedSockets.PROPERTY, WatchedSockets.class.getName());
    properties.setProperty("connectionAttributes", "program_name:" + login.applicationName());
    // The driver sends a stream that it was given, and no file that a server asks for.
    properties.setProperty("allowLocalInfile", "true");
    // Row counts are those of matched rows, one for each statement of a batch.
    properties.setProperty("useAffectedRows", "false");
    properties.setProperty("useBulkStmts", "false");
    properties.setProperty("useBulkStmtsForInserts", "false");
    properties.setProperty("useServerPrepStmts", "false");
    properties.setProperty("useResetConnection", "true");
    properties.setProperty("connectionTimeZone", "UTC");
    // The driver is MariaDB's, and takes only urls with its own scheme.
    String url = login.jdbcUrl().replaceFirst("^jdbc:mysql:", "jdbc:mariadb:");
    Connection jdbc = new Driver().connect(url, properties);
    if (jdbc == null) {
      throw new SQLException("the driver of MariaDB does not know the url " + login, "08001");
    }
    try {
      Optional<String> other = server.problemOf(jdbc);
      if (other.isPresent()) {
        throw new SQLException(other.get(), "42000", MariadbErrors.NOT_SUPPORTED);
      }
    } catch (SQLException e) {
      jdbc.close();
      throw e;
    }
    return new LockingConnection(jdbc);
  }

  /** Does nothing: these servers cannot switch triggers off. */
  @Override
  public boolean prepare(Connection jdbc) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      for (String setting : settings()) {
        statement.execute(setting);
      }
      if (server == ServerKind.MYSQL) {
        requireWarnings(statement);
      }
    }
    LoadSplitting.requireOff(jdbc);
    return false;
  }

  /**
   * On MySQL a user needs a right to set max_error_count. Without warnings, values that the server
   * cuts would not be noticed.
   */
  private static void requireWarnings(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT @@SESSION.max_error_count")) {
      row.next();
      if (row.getInt(1) == 0) {
        throw new SQLException(
            "max_error_count is 0, so the server keeps no warnings; expected at least 1. Run: SET"
                + " GLOBAL max_error_count = DEFAULT (and set it in the server's configuration)",
            "42000",
            MariadbErrors.NOT_SUPPORTED);
      }
    }
  }

  /**
   * The driver resets only sessions of MariaDB. A session of MySQL would keep its temporary tables
   * and locks, so it is closed and a new one opened.
   */
  @Override
  public void reset(Connection jdbc) throws SQLException {
    if (server == ServerKind.MYSQL) {
      throw new SQLException("a session of MySQL is not used again");
    }
    jdbc.unwrap(LockingConnection.class).forgetLocks();
    jdbc.unwrap(org.mariadb.jdbc.Connection.class).reset();
  }

  /**
   * The server does not notice that an idle session's client is gone, so the session may stay for a
   * day.
   */
  @Override
  public String endWithoutHost() {
    return "may stay for a day: find it by that host in SHOW PROCESSLIST, and end it with KILL and"
        + " its id";
  }

  @Override
  public StatementPipeline pipeline(Connection jdbc) {
    // Statements are sent as text; the server keeps no prepared ones.
    return new BatchedPipeline(jdbc, ValueForm::bind);
  }

  @Override
  public void cancel(Connection jdbc) throws SQLException {
    jdbc.unwrap(org.mariadb.jdbc.Connection.class).cancelCurrentQuery();
  }

  /**
   * Whether a commit waits for the disk is a setting of the server; a session cannot ask for it. A
   * server without it could lose commits that Sluice has reported as durable.
   */
  @Override
  public void commitDurably(Connection jdbc) throws SQLException {
    try (Statement statement = jdbc.createStatement();
        ResultSet row = statement.executeQuery(CommitDurability.QUERY)) {
      row.next();
      CommitDurability found = CommitDurability.of(row);
      if (!found.isGiven()) {
        throw new SQLException(
            "the server does not write each commit to its disk: %s, expected %s. Run: %s"
                .formatted(found.text(), CommitDurability.EXPECTED, CommitDurability.FIX),
            "HY000");
      }
    }
  }

  /** Rounded up to seconds. Later transactions of the session keep it. */
  @Override
  public void waitForLocks(Connection jdbc, Duration timeout) throws SQLException {
    long seconds = timeout.isZero() ? 50 : seconds(timeout);
    execute(
        jdbc,
        "SET SESSION innodb_lock_wait_timeout = %1$d, lock_wait_timeout = %1$d".formatted(seconds));
  }

  /** The timeouts of the server within a statement (network) and between two statements (idle). */
  private static String timeouts(long network, long idle) {
    return "net_read_timeout = %1$d, net_write_timeout = %1$d, wait_timeout = %2$d"
        .formatted(network, idle);
  }

  /**
   * MySQL's own limit is only for statements that read. A statement that writes is cancelled by the
   * process that waits for it. If that process hangs, either the statement waits for row locks, or
   * it ends and the session is idle; the server ends both after the limit.
   */
  @Override
  public void limitTransaction(Connection jdbc, Duration limit) throws SQLException {
    if (server == ServerKind.MYSQL) {
      execute(
          jdbc,
          "SET SESSION max_execution_time = %d, %s"
              .formatted(seconds(limit) * 1000, timeouts(seconds(limit), seconds(limit))));
      // The idle limit also counts outside of transactions, where a session may be idle for long.
      jdbc.unwrap(LockingConnection.class)
          .executeAtEnd(
              "SET SESSION max_execution_time = 0, " + timeouts(NETWORK_SECONDS, IDLE_SECONDS));
      return;
    }
    execute(
        jdbc,
        // For a transaction that has written, the server uses another limit.
        "SET SESSION max_statement_time = %1$d, idle_transaction_timeout = %1$d, idle_write_transaction_timeout = %1$d"
            .formatted(seconds(limit)));
  }

  /** MariaDB has limits of its own for silence in a transaction. */
  @Override
  public void endAfterSilence(Connection jdbc, Duration limit) throws SQLException {
    String session =
        "SET SESSION wait_timeout = " + (limit.isZero() ? IDLE_SECONDS : seconds(limit));
    execute(
        jdbc,
        server == ServerKind.MYSQL
            ? session
            : "%1$s, idle_transaction_timeout = %2$d, idle_write_transaction_timeout = %2$d"
                .formatted(session, limit.isZero() ? ServerKind.SILENT_SECONDS : seconds(limit)));
  }

  /** After this limit the server closes the connection, which looks like a network failure. */
  @Override
  public Optional<StatementLimit> statementLimit(Connection jdbc) throws SQLException {
    try (Statement statement = jdbc.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
      row.next();
      return Optional.of(new StatementLimit(row.getLong(1), "max_allowed_packet"));
    }
  }

  private static long seconds(Duration duration) {
    return Math.max(1, duration.plusMillis(999).toSeconds());
  }

  private static void execute(Connection jdbc, String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The server prepares a statement again whose table was altered. */
}
