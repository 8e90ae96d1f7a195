package dev.sluice.target.mariadb;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.sink.apply.LabDatabase;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Targets on one server of a kind, which the tests of a JVM share one after the other. */
public final class MariadbLab implements LabDatabase {
  private static final Map<ServerKind, EmbeddedServer> STARTED = new EnumMap<>(ServerKind.class);

  private final ServerKind kind;

  /** By port: each has sessions that wait for their next user. */
  private final Map<Integer, TargetServer> servers = new HashMap<>();

  private MariadbLab(ServerKind kind) {
    this.kind = kind;
  }

  static TargetLab open() throws SQLException {
    return open(ServerKind.MARIADB);
  }

  static TargetLab open(ServerKind kind) throws SQLException {
    return TargetLab.on(new MariadbLab(kind));
  }

  public static EmbeddedServer embedded() {
    return embedded(ServerKind.MARIADB);
  }

  /** Skips the test where the server is missing. */
  static synchronized EmbeddedServer embedded(ServerKind kind) {
    return STARTED.computeIfAbsent(kind, MariadbLab::start);
  }

  private static EmbeddedServer start(ServerKind kind) {
    if (kind == ServerKind.MYSQL) {
      assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    }
    EmbeddedServer started =
        (kind == ServerKind.MYSQL
                ? EmbeddedMysql.builder().setting("local-infile", "ON")
                : EmbeddedMariadb.builder())
            .fsync()
            .setting("max-connections", "1000")
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(started::close));
    return started;
  }

  static TargetServer target(int port) {
    return target(ServerKind.MARIADB, port);
  }

  static TargetServer target(ServerKind kind, int port) {
    return target(kind, port, "root");
  }

  static TargetServer target(ServerKind kind, int port, String user) {
    return new TargetServer(
        kind == ServerKind.MYSQL ? MariadbDialect.MYSQL : MariadbDialect.INSTANCE,
        new TargetLogin(
            "jdbc:%s://127.0.0.1:%d/test".formatted(kind.type(), port), user, null, "test", 50));
  }

  @Override
  public Connection connect() throws SQLException {
    return embedded(kind).connect();
  }

  @Override
  public int port() {
    return embedded(kind).port();
  }

  @Override
  public TargetServer serverAt(int port) {
    return servers.computeIfAbsent(port, any -> target(kind, any));
  }

  @Override
  public void createSchemas(Connection session) throws SQLException {
    drop();
    run(session, "CREATE DATABASE src", "CREATE DATABASE dst");
  }

  @Override
  public void drop() throws SQLException {
    try (Connection session = connect()) {
      run(
          session,
          "DROP DATABASE IF EXISTS src",
          "DROP DATABASE IF EXISTS dst",
          "DROP DATABASE IF EXISTS " + TargetLab.CONTROL);
    }
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
