package dev.sluice.connector.generic;

import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.process.ConnectorFolder;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A PostgreSQL database with a publication, on a server that the JVM shares. */
final class PostgresDatabase implements CapturedDatabase {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static EmbeddedPostgres server;
  private static ConnectorFolder folder;

  private final int number = NUMBER.incrementAndGet();
  private final String name = "d" + number;

  PostgresDatabase() {
    try {
      server().createDatabase(name);
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE PUBLICATION p FOR ALL TABLES");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static synchronized EmbeddedPostgres server() {
    if (server == null) {
      server =
          EmbeddedPostgres.builder()
              .setting("wal_level", "logical")
              .setting("max_replication_slots", "50")
              // Its transactions would make slots older than the tables that they keep.
              .setting("autovacuum", "off")
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> server.close()));
    }
    return server;
  }

  @Override
  public KnownConnector connector() {
    return KnownConnector.POSTGRESQL;
  }

  @Override
  public Path path() {
    return Path.of("postgres", "target", "connector");
  }

  @Override
  public ConnectorFolder folder() {
    synchronized (PostgresDatabase.class) {
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
        "postgres",
        "database.password",
        "postgres",
        "database.dbname",
        name,
        "slot.name",
        "s_" + name,
        "publication.name",
        "p");
  }

  @Override
  public String schema() {
    return "public";
  }

  /** Only a slot that Debezium makes in the same run begins exactly where its snapshot ends. */
  @Override
  public void beforeSnapshot() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = 's_"
              + name
              + "'");
    }
  }

  /** The slots of other tests keep old rows of the catalog, also for a slot that is made now. */
  @Override
  public void keepLog() throws SQLException {
    loseTheLog(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active");
    loseTheLog("SELECT pg_create_logical_replication_slot('kept_%s', 'pgoutput')".formatted(name));
    keepAgain();
  }

  @Override
  public void keepAgain() throws SQLException {
    beforeSnapshot();
    loseTheLog("SELECT pg_copy_logical_replication_slot('kept_%1$s', 's_%1$s')".formatted(name));
  }

  @Override
  public String place() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()")) {
      row.next();
      return row.getString(1);
    }
  }

  @Override
  public List<String> waysToLoseTheLog() {
    return List.of(
        "SELECT pg_drop_replication_slot('s_" + name + "')",
        "SELECT pg_drop_replication_slot('s_"
            + name
            + "'); SELECT pg_create_logical_replication_slot('s_"
            + name
            + "', 'pgoutput')");
  }

  @Override
  public void loseTheLog(String way) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(way);
    }
  }

  @Override
  public String alter(String table, String column, String type) {
    return "ALTER TABLE %s ALTER %s TYPE %s".formatted(table, column, type);
  }

  @Override
  public Connection connect() throws SQLException {
    return server().connect(name);
  }
}
