package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.WatchedSockets;
import dev.sluice.config.task.Endpoint;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;

/**
 * Where the source is and how to log in. Immutable, threadsafe; each session is its caller's. Never
 * shows the password.
 */
public final class SourceServer {
  private static final String SECONDS_TO_CONNECT = "10";

  private final String jdbcUrl;
  private final String user;
  private final String password;
  private final String applicationName;

  /**
   * @param jdbcUrl pgjdbc's URL of the database, without a password
   * @param password null where the server asks for none
   * @param applicationName how sessions name themselves in {@code pg_stat_activity}
   */
  public SourceServer(String jdbcUrl, String user, String password, String applicationName) {
    this.jdbcUrl = Objects.requireNonNull(jdbcUrl, "jdbcUrl");
    this.user = Objects.requireNonNull(user, "user");
    this.password = password;
    this.applicationName = Objects.requireNonNull(applicationName, "applicationName");
  }

  /** The server that a task file names. */
  public static SourceServer of(Endpoint endpoint, String applicationName) {
    return new SourceServer(
        endpoint.jdbcUrl(),
        endpoint.user(),
        endpoint.password().isPresent() ? endpoint.password().reveal() : null,
        applicationName);
  }

  /**
   * A new session with everything pinned, in automatic commit.
   *
   * @throws SluiceException.Retryable where the server cannot be reached at present
   * @throws SluiceException.Fatal where it refuses the login or the session's settings
   */
  public Connection connect() {
    try {
      return open();
    } catch (SQLException e) {
      throw SourceErrors.classify("connect to " + this, e);
    }
  }

  /** The same for who tells its failure together with that of what follows. */
  public Connection open() throws SQLException {
    return open(properties());
  }

  /**
   * A session that speaks the replication protocol as well; its settings are pinned too.
   *
   * @param sessionName how it names itself
   */
  public Connection openForReplication(String sessionName) throws SQLException {
    Properties properties = properties();
    properties.setProperty("ApplicationName", sessionName);
    properties.setProperty("replication", "database");
    properties.setProperty("assumeMinServerVersion", "13");
    properties.setProperty("preferQueryMode", "simple");
    return open(properties);
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("ApplicationName", applicationName);
    properties.setProperty("connectTimeout", SECONDS_TO_CONNECT);
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty(WatchedSockets.PROPERTY, WatchedSockets.class.getName());
    return properties;
  }

  private Connection open(Properties properties) throws SQLException {
    Connection connection = DriverManager.getConnection(jdbcUrl, properties);
    try (Statement statement = connection.createStatement()) {
      statement.execute(String.join(";", SessionSettings.STATEMENTS));
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** For messages: user and address, cut before the URL's parameters. */
  @Override
  public String toString() {
    int parameters = jdbcUrl.indexOf('?');
    String address = parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters);
    return user + " at " + address.replaceFirst("^jdbc:", "");
  }
}
