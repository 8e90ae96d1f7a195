package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.WatchedSockets;
import dev.sluice.config.task.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.mariadb.jdbc.Driver;

/**
 * Address and login of a MariaDB or MySQL source; opens sessions, which can only read. Threadsafe;
 * the caller owns each session. {@link #toString} never has the password.
 */
public final class MariadbServer {
  private static final Duration CONNECT = Duration.ofSeconds(30);

  /**
   * Long enough for a target that pauses, and short enough for a session that waits to alter a
   * table.
   */
  private static final Duration SILENCE = Duration.ofMinutes(20);

  /*
   * Values are read as text, so each setting that changes a value's text or a statement's meaning
   * is set. A session of the load may work for hours, so statements have no time limit. But this
   * process may hang, and must not hold locks on the source's tables then: so the server ends a
   * session that reads no rows or sends no statements.
   */
  private static final List<String> SETTINGS =
      List.of(
          "SET NAMES utf8mb4",
          "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
          "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES',"
              + " time_zone = '+00:00', lock_wait_timeout = 30,"
              // Otherwise the session has the server's limits, which would cut values.
              + " sql_select_limit = 18446744073709551615, sql_big_selects = 1, completion_type = 0");

  /**
   * The authentication plugins for a login without TLS: none reveals the password. For the last
   * one, the driver accepts no key from the server.
   */
  private static final String WITHOUT_TLS =
      "mysql_native_password,client_ed25519,parsec,caching_sha2_password";

  private static final String LIMITS =
      "SET SESSION wait_timeout = %1$d, net_write_timeout = %1$d, net_read_timeout = %1$d";

  private final Endpoint endpoint;
  private final String session;
  private final Duration silence;
  private final AskingSession asking = new AskingSession(this);

  /** A query over a session that others use afterwards; it must change nothing there. */
  public interface Question<T> {
    T ask(MariadbQuery query) throws SQLException;
  }

  /** What is read over a session of its own. */
  public interface Reading<T> {
    T over(Connection session) throws SQLException;
  }

  /**
   * @param session the name of the sessions, which the server shows as the program's
   */
  public MariadbServer(Endpoint endpoint, String session) {
    this(endpoint, session, SILENCE);
  }

  /**
   * @param silence after which the server ends a session that asks nothing, or takes no rows
   */
  public MariadbServer(Endpoint endpoint, String session, Duration silence) {
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    this.session = Objects.requireNonNull(session, "session");
    this.silence = Objects.requireNonNull(silence, "silence");
  }

  /** The time after which the server ends a session that sends no statement, or reads no rows. */
  public Duration silence() {
    return silence;
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  /** The database that the task reads. */
  public String database() {
    return endpoint.database();
  }

  /**
   * Opens a session in auto-commit mode.
   *
   * @throws SluiceException.Retryable if the server cannot be reached at present
   * @throws SluiceException.Fatal if it refuses the login or the session's settings
   */
  public Connection connect() {
    try {
      return open();
    } catch (SQLException e) {
      throw MariadbFailures.classify("connect to " + this, e);
    }
  }

  /**
   * Opens the same session. The caller classifies a failure, together with those of its statements.
   */
  public Connection open() throws SQLException {
    Connection connection = new Driver().connect(url(), properties());
    try (Statement statement = connection.createStatement()) {
      Flavour flavour = Flavour.of(connection);
      if (!flavour.type().equals(endpoint.type())) {
        throw new SQLException(
            "it is a server of %s, and source.type is %s"
                .formatted(flavour.label(), endpoint.type()),
            null,
            MariadbLoginProblem.OTHER_SERVER);
      }
      for (String setting : SETTINGS) {
        statement.execute(setting);
      }
      statement.execute("SET SESSION " + flavour.settings());
      statement.execute(LIMITS.formatted(silence.toSeconds()));
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Reads over a session of its own, in auto-commit mode.
   *
   * @param attempted what is read, for the message of a failure
   * @throws SluiceException if the server does not answer, or may not be asked
   */
  public <T> T read(String attempted, Reading<T> reading) {
    try (Connection session = open()) {
      return reading.over(session);
    } catch (SQLException e) {
      throw MariadbFailures.classify(attempted, e);
    }
  }

  /** Runs a query over a session that is kept for the next one. For frequent, short queries. */
  public <T> T ask(Question<T> question) throws SQLException {
    return asking.ask(question);
  }

  /** Ends the session, so that the next query goes to the server that is then at the address. */
  public void askAgain() {
    asking.close();
  }

  private String url() {
    return "jdbc:mariadb://%s:%d/"
        .formatted(
            endpoint.host().contains(":") ? "[" + endpoint.host() + "]" : endpoint.host(),
            endpoint.port());
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("user", endpoint.user());
    if (endpoint.password().isPresent()) {
      properties.setProperty("password", endpoint.password().reveal());
    }
    properties.setProperty("connectTimeout", Long.toString(CONNECT.toMillis()));
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("useServerPrepStmts", "false");
    properties.setProperty("connectionAttributes", "program_name:" + session);
    properties.setProperty(WatchedSockets.PROPERTY, WatchedSockets.class.getName());
    // Otherwise a server could ask for any file of this machine.
    properties.setProperty("allowLocalInfile", "false");
    // The reader of the binary log ignores redirects, and all sessions must be on one server.
    properties.setProperty("permitRedirect", "false");
    if (!MariadbConfig.isEncrypted(endpoint)) {
      properties.setProperty("restrictedAuth", WITHOUT_TLS);
    }
    for (Map.Entry<String, String> option : endpoint.options().entrySet()) {
      properties.setProperty(option.getKey(), option.getValue());
    }
    return properties;
  }

  /** For messages: user and address. */
  @Override
  public String toString() {
    return endpoint.toString();
  }
}
