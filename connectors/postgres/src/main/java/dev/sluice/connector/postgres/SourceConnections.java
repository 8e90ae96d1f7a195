package dev.sluice.connector.postgres;

import dev.sluice.config.Endpoint;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** Opens connections to one source database. Threadsafe; each connection is its caller's. */
public final class SourceConnections {
  private static final String SECONDS_TO_CONNECT = "10";

  private final Endpoint endpoint;

  public SourceConnections(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  /** An ordinary connection with the session's settings pinned, in autocommit. */
  public Connection open() throws SQLException {
    return pinned(DriverManager.getConnection(endpoint.jdbcUrl(), properties()));
  }

  /** A connection that speaks the replication protocol as well; its settings are pinned too. */
  public Connection openForReplication() throws SQLException {
    Properties properties = properties();
    properties.setProperty("replication", "database");
    properties.setProperty("assumeMinServerVersion", "13");
    properties.setProperty("preferQueryMode", "simple");
    return pinned(DriverManager.getConnection(endpoint.jdbcUrl(), properties));
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("user", endpoint.user());
    properties.setProperty("password", endpoint.password().reveal());
    properties.setProperty("ApplicationName", "sluice");
    properties.setProperty("connectTimeout", SECONDS_TO_CONNECT);
    properties.setProperty("tcpKeepAlive", "true");
    return properties;
  }

  private static Connection pinned(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String setting : SessionSettings.STATEMENTS) {
        statement.execute(setting);
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }
}
