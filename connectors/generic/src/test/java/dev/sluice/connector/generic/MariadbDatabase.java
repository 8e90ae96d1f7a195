package dev.sluice.connector.generic;

import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.process.ConnectorFolder;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A MariaDB database, on a server that the JVM shares. */
final class MariadbDatabase implements CapturedDatabase {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static EmbeddedMariadb server;
  private static ConnectorFolder folder;

  private final int number = NUMBER.incrementAndGet();
  private final String name = "d" + number;

  MariadbDatabase() {
    try {
      server().createDatabase(name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static synchronized EmbeddedMariadb server() {
    if (server == null) {
      server = EmbeddedMariadb.start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> server.close()));
    }
    return server;
  }

  @Override
  public KnownConnector connector() {
    return KnownConnector.MARIADB;
  }

  @Override
  public Path path() {
    return Path.of("mariadb", "target", "connector");
  }

  @Override
  public ConnectorFolder folder() {
    synchronized (MariadbDatabase.class) {
      if (folder == null) {
        folder = new ConnectorFolder(path());
      }
      return folder;
    }
  }

  @Override
  public Map<String, String> properties() {
    return Map.of(
        "database.hostname",
        "127.0.0.1",
        "database.port",
        String.valueOf(server().port()),
        "database.user",
        "root",
        "database.password",
        "",
        "database.server.id",
        String.valueOf(7_000 + number),
        // On a server that rests: the server's own heartbeats come more often than this.
        "connect.keep.alive.interval.ms",
        "5000",
        "database.include.list",
        name);
  }

  @Override
  public String schema() {
    return name;
  }

  @Override
  public void beforeSnapshot() {
    // Nothing is left of an earlier one.
  }

  @Override
  public void keepLog() {
    // The server keeps it for all.
  }

  @Override
  public void keepAgain() {
    // It is still there.
  }

  @Override
  public String place() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW MASTER STATUS")) {
      row.next();
      return row.getString(1) + ":" + row.getString(2);
    }
  }

  @Override
  public List<String> waysToLoseTheLog() {
    return List.of("PURGE BINARY LOGS TO '%s'", "RESET MASTER");
  }

  /** The server keeps a file as long as a reader of it has not noticed that its client is gone. */
  @Override
  public void loseTheLog(String way) {
    CaptureFixture.await(
        () -> {
          try (Connection connection = connect();
              Statement statement = connection.createStatement()) {
            String first = value(statement, "SHOW BINARY LOGS");
            statement.execute("FLUSH BINARY LOGS");
            statement.execute(way.formatted(value(statement, "SHOW MASTER STATUS")));
            return !value(statement, "SHOW BINARY LOGS").equals(first) || way.startsWith("RESET");
          }
        });
  }

  private static String value(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  @Override
  public String alter(String table, String column, String type) {
    return "ALTER TABLE %s MODIFY %s %s".formatted(table, column, type);
  }

  @Override
  public Connection connect() throws SQLException {
    return server().connect(name);
  }
}
