package dev.sluice.config.net;

import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/**
 * Opens the sessions on source and target, on {@link WatchedSockets}. A server that accepts the
 * connection and then says nothing is given up; once a session is open, only its owner limits it.
 * Stateless.
 *
 * <p>The driver's {@code loginTimeout} is no help: on a thread that was interrupted it fails at
 * once, and not with an SQLException. Such threads still let writers and applications go.
 */
public final class TimedLogin {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** How long a server may say nothing while it lets a session in. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private static final String READ_TIMEOUT = "socketTimeout";

  private TimedLogin() {}

  /**
   * The driver's properties of every session.
   *
   * @param password null if the server requires none
   * @param applicationName the session's name in {@code pg_stat_activity}
   */
  public static Properties properties(String user, String password, String applicationName) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("ApplicationName", applicationName);
    // Then the name is sent with the login, and RESET ALL keeps it.
    properties.setProperty("assumeMinServerVersion", "13");
    properties.setProperty("connectTimeout", Long.toString(CONNECT.toSeconds()));
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty(WatchedSockets.PROPERTY, WatchedSockets.class.getName());
    return properties;
  }

  /**
   * Opens a session.
   *
   * @param jdbcUrl its parameters override the properties
   * @throws SQLException in class 08 if the server cannot be reached, or stays silent
   */
  public static Connection open(String jdbcUrl, Properties properties) throws SQLException {
    // A limit of the user's own is for the whole session.
    boolean given = jdbcUrl.contains(READ_TIMEOUT + "=");
    Properties limited = new Properties();
    limited.putAll(properties);
    if (!given) {
      limited.setProperty(READ_TIMEOUT, Long.toString(SILENCE.toSeconds()));
    }
    Connection session = login(jdbcUrl, limited);
    if (!given) {
      session.setNetworkTimeout(Runnable::run, 0);
    }
    return session;
  }

  private static Connection login(String jdbcUrl, Properties properties) throws SQLException {
    try {
      return DriverManager.getConnection(jdbcUrl, properties);
    } catch (SQLException e) {
      if (e.getCause() instanceof SocketTimeoutException) {
        throw new SQLException(
            "the server does not answer a login: " + e.getCause().getMessage(), e.getSQLState(), e);
      }
      throw e;
    }
  }
}
