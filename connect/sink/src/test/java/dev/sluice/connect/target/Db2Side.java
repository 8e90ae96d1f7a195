package dev.sluice.connect.target;

import dev.sluice.config.TableId;
import dev.sluice.connect.ConnectLab;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.target.db2.catalog.Db2Metadata;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** A server of Derby, which IBM's driver takes for a Db2. */
final class Db2Side implements TargetSide {
  private final EmbeddedDerby derby;

  /**
   * @param derby closed with this
   */
  Db2Side(EmbeddedDerby derby) {
    this.derby = derby;
  }

  @Override
  public Map<String, String> properties() {
    String url =
        "db2://app@127.0.0.1:%d/%s?securityMechanism=3"
            .formatted(derby.port(), EmbeddedDerby.DATABASE);
    return Map.of("target.type", "db2", "target.url", url);
  }

  @Override
  public void begin() throws SQLException {
    try (Connection session = connect()) {
      for (String schema : List.of("shop", ConnectLab.CONTROL)) {
        if (Db2Metadata.hasSchema(session, schema)) {
          for (String table : Db2Metadata.tables(session, schema)) {
            run(session, "DROP TABLE " + new TableId(schema, table).quoted());
          }
          run(session, "DROP SCHEMA " + schema + " RESTRICT");
        }
      }
      run(session, "CREATE SCHEMA shop");
      for (String table : List.of("items", "orders")) {
        run(
            session,
            "CREATE TABLE shop.%s (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(100))"
                .formatted(table));
      }
    }
  }

  private static void run(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public Connection connect() throws SQLException {
    return new Db2Session(
        DriverManager.getConnection(
            "jdbc:db2://127.0.0.1:%d/%s:securityMechanism=3;"
                .formatted(derby.port(), EmbeddedDerby.DATABASE),
            "app",
            "app"),
        () -> {
          throw new SQLException("an administrator takes no locks");
        });
  }

  @Override
  public void close() {
    derby.close();
  }
}
