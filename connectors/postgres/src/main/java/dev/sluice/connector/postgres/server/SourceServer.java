package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.SessionPool;
import dev.sluice.config.net.TimedLogin;
import dev.sluice.config.task.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;

/**
 * Address and login of the source; opens and lends sessions. Threadsafe; the caller owns each
 * session. {@link #toString} never has the password.
 */
public final class SourceServer {
  private static final String SESSION = String.join(";", SessionSettings.STATEMENTS);

  /*
   * A reader that describes a table may wait for a lock, and says nothing meanwhile. Not longer: a server
   * that shuts down waits so long for a reader whose host is gone.
   */
  private static final String PATIENT =
      "SELECT pg_catalog.set_config('wal_sender_timeout', '3min', false)"
          + " FROM pg_catalog.pg_settings"
          + " WHERE name = 'wal_sender_timeout' AND setting::int BETWEEN 1 AND 180000";

  private final String jdbcUrl;
  private final String user;
  private final String password;
  private final String applicationName;
  private final SessionPool pool;

  /**
   * @param jdbcUrl pgjdbc's URL of the database, without a password
   * @param password null if the server requires none
   * @param applicationName the sessions' name in {@code pg_stat_activity}
   */
  public SourceServer(String jdbcUrl, String user, String password, String applicationName) {
    this.jdbcUrl = Objects.requireNonNull(jdbcUrl, "jdbcUrl");
    this.user = Objects.requireNonNull(user, "user");
    this.password = password;
    this.applicationName = Objects.requireNonNull(applicationName, "applicationName");
    this.pool = new SessionPool(this::open, SESSION);
  }

  /** The server of a task file. */
  public static SourceServer of(Endpoint endpoint, String applicationName) {
    return new SourceServer(
        endpoint.jdbcUrl(),
        endpoint.user(),
        endpoint.password().isPresent() ? endpoint.password().reveal() : null,
        applicationName);
  }

  /**
   * Opens a session with all {@link SessionSettings}, in auto-commit mode.
   *
   * @throws SluiceException.Retryable if the server cannot be reached at present
   * @throws SluiceException.Fatal if it refuses the login or the session's settings
   */
  public Connection connect() {
    try {
      return open();
    } catch (SQLException e) {
      throw SourceErrors.classify("connect to " + this, e);
    }
  }

  /**
   * Opens the same session; the caller classifies the failure together with that of its statements.
   */
  public Connection open() throws SQLException {
    return open(properties());
  }

  /**
   * The same session for a moment: closing it gives it back to the next user. Not for a session
   * that holds something for long, or whose end others wait for.
   */
  public Connection borrow() throws SQLException {
    return pool.borrow();
  }

  /**
   * Opens a session for the replication protocol, with the same settings.
   *
   * @param sessionName its name in {@code pg_stat_activity}
   */
  public Connection openForReplication(String sessionName) throws SQLException {
    Properties properties = properties();
    properties.setProperty("ApplicationName", sessionName);
    properties.setProperty("replication", "database");
    properties.setProperty("preferQueryMode", "simple");
    Connection connection = open(properties);
    try (Statement statement = connection.createStatement()) {
      // An option of the url overrides the property, and the name shows whose reader this is.
      statement.execute("SET application_name TO " + SqlLiteral.of(sessionName));
      statement.execute(PATIENT);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private Properties properties() {
    return TimedLogin.properties(user, password, applicationName);
  }

  private Connection open(Properties properties) throws SQLException {
    Connection connection = TimedLogin.open(jdbcUrl, properties);
    try (Statement statement = connection.createStatement()) {
      statement.execute(SESSION);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** For messages: user and address without the URL's parameters. */
  @Override
  public String toString() {
    int parameters = jdbcUrl.indexOf('?');
    String address = parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters);
    return user + " at " + address.replaceFirst("^jdbc:", "");
  }
}
