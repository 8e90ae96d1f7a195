package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A database of its own on a server that all tests of the JVM share. */
public final class SourceDatabase implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  public final String name = "t" + NUMBER.incrementAndGet();
  public final Connection connection;

  public SourceDatabase(String... statements) {
    try {
      server().createDatabase(name);
      connection = connect();
      execute(statements);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public static EmbeddedServer server() {
    return Servers.shared();
  }

  public MariadbConfig config() {
    return config("root", Secret.NONE);
  }

  public MariadbConfig config(String user, Secret password) {
    return new MariadbConfig(
        new Endpoint(Servers.type(), "127.0.0.1", server().port(), name, user, password, Map.of()));
  }

  public MariadbSource source() {
    return new MariadbSource(name, config());
  }

  public MariadbSource source(ValuePolicy values) {
    return new MariadbSource(name, new MariadbConfig(config().endpoint(), values));
  }

  public MariadbServer sessions() {
    return new MariadbServer(config().endpoint(), "test");
  }

  public TableId table(String table) {
    return new TableId(name, table);
  }

  public Connection connect() throws SQLException {
    return server().connect(name);
  }

  public void execute(String... statements) {
    try (Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
