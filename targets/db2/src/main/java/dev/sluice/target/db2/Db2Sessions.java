package dev.sluice.target.db2;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.BatchedPipeline;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.db2.session.Db2Session;
import dev.sluice.target.db2.value.ValueBinding;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.ServiceLoader;

/** Sessions on Db2, with the driver that the user has added to Sluice's jars. Stateless. */
final class Db2Sessions implements TargetSessions {
  private static final String ANY_URL = "jdbc:db2://localhost:50000/any";
  private static final int LOGIN_SECONDS = 10;

  /** The driver's mode that closes the socket at a cancel or a timeout. */
  private static final String CLOSE_SOCKET = "2";

  @Override
  public void requireDriver() {
    driver();
  }

  /**
   * The driver that this class's loader finds. JDBC's list is not used: if plugins have separate
   * class loaders, it has the drivers of the first one that asked.
   */
  private static Driver driver() {
    try {
      for (Driver driver : ServiceLoader.load(Driver.class, Db2Sessions.class.getClassLoader())) {
        if (driver.acceptsURL(ANY_URL)) {
          return driver;
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("BUG: a driver does not know its urls", e);
    }
    throw new SluiceException.Fatal(
        new Problem(
            "target.type " + Db2Dialect.TYPE,
            "IBM's driver is not there",
            "a driver for urls of jdbc:db2, in version 11.5 or newer; its licence does not let us"
                + " ship it",
            "Put the jar (jcc-11.5.9.0.jar or db2jcc4.jar) into the folder lib of the"
                + " installation, or of the plugin on each worker"));
  }

  @Override
  public Connection connect(TargetLogin login) throws SQLException {
    Db2Url url = Db2Url.of(login.jdbcUrl());
    if (login.password() != null && !url.saysEncryption()) {
      throw new SQLException(
          "target.url has a password and does not say whether sessions are encrypted, expected"
              + " sslConnection. Add ?sslConnection=true to target.url, or ?sslConnection=false if"
              + " the password may travel as it is",
          "0A000");
    }
    Properties properties = new Properties();
    properties.putAll(url.options());
    properties.setProperty("user", login.user());
    // The driver needs a password, and a server without authentication accepts any.
    properties.setProperty("password", login.password() == null ? login.user() : login.password());
    properties.setProperty("loginTimeout", Integer.toString(LOGIN_SECONDS));
    properties.setProperty("clientProgramName", login.applicationName());
    // Otherwise a statement that waits for a lock would keep waiting after the cancel, and keep its
    // own locks.
    properties.setProperty("interruptProcessingMode", CLOSE_SOCKET);
    properties.setProperty("queryTimeoutInterruptProcessingMode", CLOSE_SOCKET);
    Driver driver = driver();
    Db2Session.Opener opener = () -> driver.connect(url.jdbc(), properties);
    return new Db2Session(isolated(opener.open()), () -> isolated(opener.open()));
  }

  /**
   * JDBC calls this level repeatable read, Db2 calls it read stability. Rows that were read FOR
   * UPDATE stay locked until the transaction ends, so the epoch that was read cannot change
   * meanwhile.
   */
  private static Connection isolated(Connection driver) throws SQLException {
    try {
      driver.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      return driver;
    } catch (SQLException e) {
      driver.close();
      throw e;
    }
  }

  /** Does nothing: foreign keys and triggers cannot be switched off. */
  @Override
  public boolean prepare(Connection jdbc) {
    return false;
  }

  /** Fails: locks and temporary tables would remain for the next user of the session. */
  @Override
  public void reset(Connection jdbc) throws SQLException {
    throw new SQLException("a session of Db2 is not used again");
  }

  @Override
  public String endWithoutHost() {
    return "ends when the server finds the connection dead: find it by that host with LIST"
        + " APPLICATIONS SHOW DETAIL, and end it with FORCE APPLICATION and its handle";
  }

  @Override
  public StatementPipeline pipeline(Connection jdbc) {
    return new BatchedPipeline(
        jdbc,
        (statement, parameter, column, text) ->
            ValueBinding.of(column).orElseThrow().bind(statement, parameter, text));
  }

  @Override
  public void cancel(Connection jdbc) throws SQLException {
    jdbc.unwrap(Db2Session.class).cancelRunning();
  }

  /** Nothing to do: every commit waits for the server's log. */
  @Override
  public void commitDurably(Connection jdbc) {
    // Commits are always durable.
  }

  /** Sets a limit for each statement, since Derby has no lock timeout for a session. */
  @Override
  public void waitForLocks(Connection jdbc, Duration timeout) throws SQLException {
    jdbc.unwrap(Db2Session.class).limitStatements(timeout);
  }

  @Override
  public void limitTransaction(Connection jdbc, Duration limit) throws SQLException {
    jdbc.unwrap(Db2Session.class).limitStatements(limit);
  }
}
