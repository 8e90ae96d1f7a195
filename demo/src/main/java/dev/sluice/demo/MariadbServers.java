package dev.sluice.demo;

import dev.sluice.demo.workload.MariadbShopData;
import dev.sluice.demo.workload.MariadbShopSchema;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A MariaDB server as the source, and a PostgreSQL server. */
record MariadbServers(DemoMariadb source, PostgresServer target) implements DemoServers {
  /** As docs/operate/mariadb.md has them. */
  private static final List<String> RIGHTS =
      List.of(
          "GRANT SELECT ON %2$s.* TO %1$s@'%%'",
          "GRANT PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO %1$s@'%%'",
          "GRANT RELOAD, BINLOG ADMIN ON *.* TO %1$s@'%%'");

  static MariadbServers start(Path folder) throws SQLException {
    return DemoServers.start(
        folder,
        own -> DemoMariadb.start(EmbeddedMariadb.builder().directory(own), "replicator"),
        PostgresServer::start,
        MariadbServers::new);
  }

  @Override
  public void prepare(ShopScale scale) throws SQLException {
    try (Connection connection = connectSource()) {
      MariadbShopSchema.create(connection);
      MariadbShopData.fill(connection, scale);
    }
    source.grant(RIGHTS);
  }

  @Override
  public ShopTransactions transactions() {
    return ShopTransactions.MARIADB;
  }

  /** The source cannot be closed by the cutover, so it is closed before. */
  @Override
  public boolean cutOver(DemoSteps steps, String task) throws SQLException {
    String readOnly = "SET GLOBAL read_only = ON";
    steps.step("on the source: " + readOnly);
    source.run(readOnly);
    return steps.command("cutover", task, "--quiet-period") == 0;
  }
}
