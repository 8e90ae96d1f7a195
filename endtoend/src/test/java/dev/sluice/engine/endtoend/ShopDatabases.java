package dev.sluice.engine.endtoend;

import dev.sluice.demo.workload.ShopData;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The two databases of a migration: the shop with its data on the source, nothing on the target.
 */
final class ShopDatabases {
  private ShopDatabases() {}

  static void create(EmbeddedPostgres source, EmbeddedPostgres target, String name, ShopScale scale)
      throws SQLException {
    source.createDatabase(name);
    target.createDatabase(name);
    try (Connection connection = source.connect(name)) {
      ShopSchema.create(connection);
      ShopData.fill(connection, scale);
    }
  }
}
