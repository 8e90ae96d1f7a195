package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.embedded.postgres.Relay;
import dev.sluice.sink.apply.LabDatabase;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.db2.catalog.Db2Metadata;
import dev.sluice.target.db2.session.Db2Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Targets on one server of Derby, which the tests of a JVM share one after the other. Its
 * administrator writes names in lower case without quotes, as the tests of all targets do.
 */
public final class Db2Lab implements LabDatabase {
  private static EmbeddedDerby started;

  private final Map<Integer, TargetServer> servers = new HashMap<>();

  /** The way of the lab's own sessions; a test may cut it. */
  private final Relay relay = relay();

  static TargetLab open() throws SQLException {
    return TargetLab.on(new Db2Lab());
  }

  static synchronized EmbeddedDerby embedded() {
    if (started == null) {
      EmbeddedDerby server = EmbeddedDerby.start();
      Runtime.getRuntime().addShutdownHook(new Thread(server::close));
      started = server;
    }
    return started;
  }

  private static Relay relay() {
    try {
      return new Relay(embedded().port());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static TargetServer target(int port) {
    return new TargetServer(
        Db2Dialect.INSTANCE,
        new TargetLogin(
            "jdbc:db2://127.0.0.1:%d/%s?securityMechanism=3"
                .formatted(port, EmbeddedDerby.DATABASE),
            "app",
            null,
            "test",
            50));
  }

  /** Cuts the sessions of the target; later ones are not cut. */
  void cut() throws InterruptedException {
    relay.dropAndForget(Duration.ZERO);
  }

  static Connection admin() throws SQLException {
    return new Db2Session(
        DriverManager.getConnection(
            "jdbc:db2://127.0.0.1:%d/%s:securityMechanism=3;"
                .formatted(embedded().port(), EmbeddedDerby.DATABASE),
            "app",
            "app"),
        () -> {
          throw new SQLException("an administrator takes no locks");
        });
  }

  @Override
  public Connection connect() throws SQLException {
    return admin();
  }

  @Override
  public int port() {
    return relay.port();
  }

  @Override
  public TargetServer serverAt(int port) {
    return servers.computeIfAbsent(port, Db2Lab::target);
  }

  @Override
  public void createSchemas(Connection session) throws SQLException {
    drop();
    run(session, "CREATE SCHEMA src", "CREATE SCHEMA dst");
  }

  @Override
  public void drop() throws SQLException {
    dropSchemas();
  }

  static void dropSchemas() throws SQLException {
    try (Connection session = admin()) {
      for (String schema : List.of("src", "dst", TargetLab.CONTROL)) {
        if (Db2Metadata.hasSchema(session, schema)) {
          dropTables(session, schema, Db2Metadata.tables(session, schema));
          run(session, "DROP SCHEMA " + schema + " RESTRICT");
        }
      }
    }
  }

  private static void dropTables(Connection session, String schema, Set<String> tables)
      throws SQLException {
    for (String table : tables) {
      run(session, "DROP TABLE " + new TableId(schema, table).quoted());
    }
  }

  static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
