package dev.sluice.connect.target;

import dev.sluice.connect.ConnectLab;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** A server of MariaDB or MySQL. */
final class MariadbSide implements TargetSide {
  private final EmbeddedServer server;
  private final String type;

  /**
   * @param server closed with this
   */
  MariadbSide(EmbeddedServer server, String type) {
    this.server = server;
    this.type = type;
  }

  @Override
  public Map<String, String> properties() {
    String url = "%s://root@127.0.0.1:%d/shop".formatted(type, server.port());
    return Map.of("target.type", type, "target.url", url);
  }

  @Override
  public void begin() throws SQLException {
    try (Connection session = connect();
        Statement statement = session.createStatement()) {
      for (String database : List.of("shop", "other", ConnectLab.CONTROL)) {
        statement.execute("DROP DATABASE IF EXISTS " + database);
      }
      statement.execute("CREATE DATABASE shop");
      for (String table : List.of("items", "orders")) {
        statement.execute(
            "CREATE TABLE shop.%s (id int PRIMARY KEY, name longtext)".formatted(table));
      }
    }
  }

  @Override
  public Connection connect() throws SQLException {
    return server.connect();
  }

  @Override
  public void close() {
    server.close();
  }
}
