package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.internals.PgjdbcInternals;
import dev.sluice.config.net.SessionPool;
import dev.sluice.config.net.WatchedSockets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;

/**
 * The address and login of the target; opens and lends connections. Threadsafe; never shows the
 * password.
 *
 * <p>Rows are sent as text, so a session fixes every setting that changes the text form of a type.
 * The application's foreign keys and triggers must not fire a second time, so sessions use the
 * replica role if that is allowed.
 */
public final class TargetServer {
  private final String jdbcUrl;
  private final String user;
  private final String password;
  private final String applicationName;
  private final int statementCacheSize;
  private final SessionPool pool;

  /**
   * @param jdbcUrl pgjdbc's URL of the database, without a password
   * @param password null if the server requires none
   * @param applicationName name of the sessions in {@code pg_stat_activity}
   * @param statementCacheSize prepared statements kept for each connection; 0 keeps none
   * @throws SluiceException.Fatal if the driver does not have what Sluice uses of it
   */
  public TargetServer(
      String jdbcUrl,
      String user,
      String password,
      String applicationName,
      int statementCacheSize) {
    PgjdbcInternals.require();
    this.jdbcUrl = Objects.requireNonNull(jdbcUrl, "jdbcUrl");
    this.user = Objects.requireNonNull(user, "user");
    this.password = password;
    this.applicationName = Objects.requireNonNull(applicationName, "applicationName");
    this.statementCacheSize = statementCacheSize;
    this.pool = new SessionPool(this::openSession, "");
  }

  public String user() {
    return user;
  }

  public int statementCacheSize() {
    return statementCacheSize;
  }

  /** The same server with another number of prepared statements for each connection. */
  public TargetServer withStatementCacheSize(int statements) {
    return new TargetServer(jdbcUrl, user, password, applicationName, statements);
  }

  /**
   * Opens a connection with the settings for applying, in manual commit.
   *
   * @throws SluiceException.Retryable if the server cannot be reached at present
   * @throws SluiceException.Fatal if it refuses the login or the session's settings
   */
  public TargetConnection connect() {
    try {
      return TargetConnection.open(openSession());
    } catch (SQLException e) {
      throw TargetErrors.classify("connect to " + this, e);
    }
  }

  /**
   * The same connection for a moment: closing it gives its session back to the next user. Not for
   * one that holds something for long, or whose end others wait for.
   *
   * @throws SluiceException as {@link #connect}
   */
  public TargetConnection borrow() {
    try {
      return TargetConnection.open(pool.borrow());
    } catch (SQLException e) {
      throw TargetErrors.classify("connect to " + this, e);
    }
  }

  private Connection openSession() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("ApplicationName", applicationName);
    // Then the name is sent with the login, and RESET ALL keeps it.
    properties.setProperty("assumeMinServerVersion", "13");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty(WatchedSockets.PROPERTY, WatchedSockets.class.getName());
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("stringtype", "unspecified");
    properties.setProperty("prepareThreshold", statementCacheSize == 0 ? "0" : "3");
    properties.setProperty("preparedStatementCacheQueries", Integer.toString(statementCacheSize));
    return DriverManager.getConnection(jdbcUrl, properties);
  }

  /** For messages: user and address, cut before the URL's parameters. */
  @Override
  public String toString() {
    int parameters = jdbcUrl.indexOf('?');
    String address = parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters);
    return user + " at " + address.replaceFirst("^jdbc:", "");
  }
}
