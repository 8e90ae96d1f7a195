package dev.sluice.connect.target;

import dev.sluice.connect.ConnectLab;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A server of PostgreSQL, or what stands before it. */
final class PostgresSide implements TargetSide {
  private static final String DATABASE = "shop";

  private final EmbeddedPostgres postgres;
  private final String type;
  private final int port;

  /**
   * @param postgres closed with this
   * @param port where the connector writes
   */
  PostgresSide(EmbeddedPostgres postgres, String type, int port) throws SQLException {
    this.postgres = postgres;
    this.type = type;
    this.port = port;
    postgres.createDatabase(DATABASE);
  }

  @Override
  public Map<String, String> properties() {
    String url = "%s://postgres@127.0.0.1:%d/%s".formatted(type, port, DATABASE);
    return Map.of("target.type", type, "target.url", url);
  }

  @Override
  public void begin() throws SQLException {
    try (Connection session = connect();
        Statement statement = session.createStatement()) {
      statement.execute("DROP SCHEMA IF EXISTS shop, " + ConnectLab.CONTROL + " CASCADE");
      statement.execute("CREATE SCHEMA shop");
      statement.execute("CREATE TABLE shop.items (id int PRIMARY KEY, name text)");
      statement.execute("CREATE TABLE shop.orders (id int PRIMARY KEY, name text)");
    }
  }

  @Override
  public Connection connect() throws SQLException {
    return postgres.connect(DATABASE);
  }

  @Override
  public void close() {
    postgres.close();
  }
}
