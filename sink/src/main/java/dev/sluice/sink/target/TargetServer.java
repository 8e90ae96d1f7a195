package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.WatchedSockets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;

/**
 * Where the target is and how to log in. Immutable, threadsafe; never shows the password.
 *
 * <p>What the settings of a connection rest on: rows travel as text, so everything that a type's
 * text form depends on is pinned; foreign keys and triggers of the application must not fire a
 * second time, so sessions run in the replica role where that is allowed.
 */
public final class TargetServer {
  private final String jdbcUrl;
  private final String user;
  private final String password;
  private final String applicationName;
  private final int statementCacheSize;

  /**
   * @param jdbcUrl pgjdbc's URL of the database, without a password
   * @param password null where the server asks for none
   * @param applicationName how sessions name themselves in {@code pg_stat_activity}
   * @param statementCacheSize prepared statements kept per connection; 0 keeps none
   */
  public TargetServer(
      String jdbcUrl,
      String user,
      String password,
      String applicationName,
      int statementCacheSize) {
    this.jdbcUrl = Objects.requireNonNull(jdbcUrl, "jdbcUrl");
    this.user = Objects.requireNonNull(user, "user");
    this.password = password;
    this.applicationName = Objects.requireNonNull(applicationName, "applicationName");
    this.statementCacheSize = statementCacheSize;
  }

  public String user() {
    return user;
  }

  public int statementCacheSize() {
    return statementCacheSize;
  }

  /** The same server for connections that keep another number of prepared statements. */
  public TargetServer withStatementCacheSize(int statements) {
    return new TargetServer(jdbcUrl, user, password, applicationName, statements);
  }

  /**
   * A new connection, set up for applying, in manual commit.
   *
   * @throws SluiceException.Retryable where the server cannot be reached at present
   * @throws SluiceException.Fatal where it refuses the login or the session's settings
   */
  public TargetConnection connect() {
    try {
      return TargetConnection.open(openSession());
    } catch (SQLException e) {
      throw TargetErrors.classify("connect to " + this, e);
    }
  }

  Connection openSession() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    if (password != null) {
      properties.setProperty("password", password);
    }
    properties.setProperty("ApplicationName", applicationName);
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
