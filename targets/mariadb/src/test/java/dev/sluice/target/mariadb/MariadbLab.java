package dev.sluice.target.mariadb;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.sink.apply.LabDatabase;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** Targets on one MariaDB server, which the tests of a JVM share one after the other. */
public final class MariadbLab implements LabDatabase {
  private static EmbeddedMariadb server;

  /** By port: each has sessions that wait for their next user. */
  private final Map<Integer, TargetServer> servers = new HashMap<>();

  private MariadbLab() {}

  static TargetLab open() throws SQLException {
    return TargetLab.on(new MariadbLab());
  }

  public static synchronized EmbeddedMariadb embedded() {
    if (server == null) {
      EmbeddedMariadb started =
          EmbeddedMariadb.builder().fsync().setting("max-connections", "1000").start();
      Runtime.getRuntime().addShutdownHook(new Thread(started::close));
      server = started;
    }
    return server;
  }

  static TargetServer target(int port) {
    return new TargetServer(
        MariadbDialect.INSTANCE,
        new TargetLogin("jdbc:mariadb://127.0.0.1:" + port + "/test", "root", null, "test", 50));
  }

  @Override
  public Connection connect() throws SQLException {
    return embedded().connect();
  }

  @Override
  public int port() {
    return embedded().port();
  }

  @Override
  public TargetServer serverAt(int port) {
    return servers.computeIfAbsent(port, MariadbLab::target);
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
