package dev.sluice.target.yugabytedb;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.sink.apply.LabDatabase;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Databases on one PostgreSQL server behind a proxy that is as strict as YugabyteDB. The tests of a
 * JVM share both, one after the other.
 */
final class YugabyteLab implements LabDatabase {
  private static final long SEED = 20261128;
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private static EmbeddedPostgres postgres;
  private static StrictProxy proxy;

  private final String name;

  /** By port: each has sessions that wait for their next user. */
  private final Map<Integer, TargetServer> servers = new HashMap<>();

  private YugabyteLab(String name) {
    this.name = name;
  }

  static TargetLab open() throws SQLException {
    return TargetLab.on(database());
  }

  static synchronized YugabyteLab database() throws SQLException {
    if (postgres == null) {
      postgres = EmbeddedPostgres.start();
      Runtime.getRuntime().addShutdownHook(new Thread(postgres::close));
      try {
        proxy = new StrictProxy(postgres.port(), SEED);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    String name = "yb" + DATABASES.incrementAndGet();
    postgres.createDatabase(name);
    return new YugabyteLab(name);
  }

  /** Of a lab that was opened. */
  static StrictProxy proxy() {
    return proxy;
  }

  /** The port of the PostgreSQL server behind the proxy. */
  static int postgresPort() {
    return postgres.port();
  }

  /** The PostgreSQL server, without the proxy. */
  TargetServer unprotected() {
    return serverAt(postgres.port());
  }

  TargetServer server() {
    return serverAt(port());
  }

  @Override
  public Connection connect() throws SQLException {
    return postgres.connect(name);
  }

  @Override
  public int port() {
    return proxy.port();
  }

  @Override
  public TargetServer serverAt(int port) {
    return servers.computeIfAbsent(port, at -> serverAt(at, YugabyteDialect.INSTANCE));
  }

  TargetServer serverAt(int port, YugabyteDialect dialect) {
    return new TargetServer(dialect, login(port, "postgres"));
  }

  /** For another user than the owner of all. */
  TargetServer serverOf(String user) {
    return new TargetServer(YugabyteDialect.INSTANCE, login(port(), user));
  }

  private TargetLogin login(int port, String user) {
    return new TargetLogin(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + name, user, null, "test", 50);
  }

  @Override
  public void createSchemas(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("CREATE SCHEMA src");
      statement.execute("CREATE SCHEMA dst");
    }
  }

  @Override
  public void drop() throws SQLException {
    try (Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
    }
  }
}
