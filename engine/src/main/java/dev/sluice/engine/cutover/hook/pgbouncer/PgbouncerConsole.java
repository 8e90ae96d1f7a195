package dev.sluice.engine.cutover.hook.pgbouncer;

import dev.sluice.config.task.Endpoint;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.Logger;

/**
 * One login to pgbouncer, for its admin console or through it to a server. One thread works with
 * it; another one may {@link #cut} it.
 */
public final class PgbouncerConsole implements AutoCloseable {
  private static final String CONSOLE = "pgbouncer";

  /** Kept here, since a logger that nobody keeps loses its filter. */
  private static final Logger DRIVER_LOG = Logger.getLogger("org.postgresql.jdbc.PgConnection");

  static {
    // The driver takes pgbouncer's version for a server's, and would warn at each login.
    DRIVER_LOG.setFilter(entry -> !entry.getMessage().startsWith("Unsupported Server Version"));
  }

  private final Endpoint instance;
  private volatile Connection connection;
  private volatile boolean cut;

  public PgbouncerConsole(Endpoint instance) {
    this.instance = instance;
  }

  /**
   * Logs in.
   *
   * @param timeout for each answer, also those of the login, rounded up to seconds
   */
  public void open(Duration timeout) throws ConsoleFailure {
    Properties properties = new Properties();
    properties.setProperty("user", instance.user());
    if (instance.password().isPresent()) {
      properties.setProperty("password", instance.password().reveal());
    }
    // The console has no extended protocol.
    properties.setProperty("preferQueryMode", "simple");
    // Any value keeps the driver from SET statements after the login, which the console refuses.
    properties.setProperty("replication", "false");
    long seconds = timeout.plusMillis(999).toSeconds();
    properties.setProperty("connectTimeout", Long.toString(seconds));
    properties.setProperty("socketTimeout", Long.toString(seconds + 1));
    try {
      connection = DriverManager.getConnection(instance.jdbcUrl(), properties);
    } catch (SQLException e) {
      throw failure("login as " + instance.user(), e);
    }
    if (cut) {
      cut();
    }
  }

  /** Reads the state of all pools. Changes nothing. */
  public PoolState state() throws ConsoleFailure {
    try {
      Map<String, String> settings = settings();
      boolean session = isSession(settings.get("pool_mode"));
      Map<String, PoolState.Database> databases = new TreeMap<>();
      for (Map<String, String> row : rows("SHOW DATABASES")) {
        if (!CONSOLE.equals(row.get("name"))) {
          String mode = row.get("pool_mode");
          databases.put(
              row.get("name"),
              new PoolState.Database(
                  "%s:%s/%s".formatted(row.get("host"), row.get("port"), row.get("database")),
                  mode == null || mode.isEmpty() ? session : isSession(mode),
                  "1".equals(row.get("paused"))));
        }
      }
      List<String> users =
          rows("SHOW USERS").stream()
              .filter(row -> isSession(row.get("pool_mode")))
              .map(row -> row.get("name"))
              .toList();
      return new PoolState(pooler(), databases, users, queryTimeout(settings));
    } catch (SQLException e) {
      throw failure("SHOW", e);
    }
  }

  /** The console refuses to pause itself, and before that whoever may not pause. */
  private PoolState.Pooler pooler() throws SQLException {
    try {
      send("PAUSE " + CONSOLE);
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage());
      if (message.contains("cannot pause admin db")) {
        return PoolState.Pooler.OPEN;
      }
      if (message.contains("already suspended/paused")) {
        return PoolState.Pooler.PAUSED;
      }
      if (message.contains("admin access needed")) {
        return PoolState.Pooler.READ_ONLY;
      }
      throw e;
    }
    throw new SQLException("it paused its own admin console: this is not pgbouncer");
  }

  private Map<String, String> settings() throws SQLException {
    Map<String, String> settings = new TreeMap<>();
    rows("SHOW CONFIG").forEach(row -> settings.put(row.get("key"), row.get("value")));
    return settings;
  }

  private static Optional<Duration> queryTimeout(Map<String, String> settings) {
    return Optional.ofNullable(settings.get("query_wait_timeout"))
        .map(Double::parseDouble)
        .filter(seconds -> seconds > 0)
        .map(seconds -> Duration.ofMillis(Math.round(seconds * 1000)));
  }

  private static boolean isSession(String mode) {
    return "session".equals(mode);
  }

  /**
   * Holds the clients, and returns when no transaction is open any more.
   *
   * @param database empty: all
   */
  public void pause(Optional<String> database) throws ConsoleFailure {
    execute("PAUSE" + argument(database));
  }

  /** Lets the clients go; without an effect if they are not held. */
  public void resume(Optional<String> database) throws ConsoleFailure {
    try {
      send("RESUME" + argument(database));
    } catch (SQLException e) {
      if (!String.valueOf(e.getMessage()).contains("is not paused")) {
        throw failure("RESUME", e);
      }
    }
  }

  /** Reads pgbouncer's configuration files again. */
  public void reload() throws ConsoleFailure {
    execute("RELOAD");
  }

  /** Whether the server behind the login is a primary; for a login through pgbouncer. */
  public boolean isPrimary() throws ConsoleFailure {
    try {
      return "f"
          .equals(rows("SELECT pg_catalog.pg_is_in_recovery()").get(0).values().iterator().next());
    } catch (SQLException e) {
      throw failure("a query through " + instance.database(), e);
    }
  }

  private static String argument(Optional<String> database) {
    return database.map(name -> " \"" + name.replace("\"", "\"\"") + "\"").orElse("");
  }

  private void execute(String command) throws ConsoleFailure {
    try {
      send(command);
    } catch (SQLException e) {
      throw failure(command, e);
    }
  }

  private void send(String command) throws SQLException {
    requireUncut();
    try (Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  private List<Map<String, String>> rows(String query) throws SQLException {
    requireUncut();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      List<Map<String, String>> rows = new ArrayList<>();
      while (result.next()) {
        Map<String, String> row = new TreeMap<>();
        for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
          row.put(result.getMetaData().getColumnLabel(column), result.getString(column));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  private void requireUncut() throws SQLException {
    if (cut) {
      throw new SQLException("the time is up");
    }
  }

  /** Ends whatever the working thread waits for; nothing is sent after it. */
  public void cut() {
    cut = true;
    Connection open = connection;
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        // Then it is closed already.
      }
    }
  }

  @Override
  public void close() {
    Connection open = connection;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        // Nothing is lost with it.
      }
    }
  }

  private ConsoleFailure failure(String what, SQLException e) {
    return new ConsoleFailure(
        "%s:%d: %s: %s".formatted(instance.host(), instance.port(), what, e.getMessage()), e);
  }
}
