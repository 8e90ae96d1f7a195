package dev.sluice.demo;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.postgres.PostgresReader;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.demo.workload.ShopData;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.engine.validate.TableComparison;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** Two PostgreSQL servers. */
record PostgresServers(PostgresServer source, PostgresServer target) implements DemoServers {
  static PostgresServers start(Path folder) throws SQLException {
    return DemoServers.start(
        folder, PostgresServer::start, PostgresServer::start, PostgresServers::new);
  }

  @Override
  public void prepare(ShopScale scale) throws SQLException {
    try (Connection connection = connectSource()) {
      ShopSchema.create(connection);
      ShopData.fill(connection, scale);
    }
  }

  Connection connectTarget() throws SQLException {
    return target.connect();
  }

  @Override
  public ShopTransactions transactions() {
    return ShopTransactions.POSTGRESQL;
  }

  /** Nobody waits for it, and this machine may be slow. */
  @Override
  public boolean cutOver(DemoSteps steps, String task) {
    return steps.command("cutover", task, "--budget", "60") == 0;
  }

  @Override
  public boolean areEqual(DemoSteps steps, String task) {
    steps.step("comparing every row of every table");
    DemoVerdict verdict = compare();
    steps.print(verdict.text());
    return verdict.isEqual();
  }

  /** Compares the shop's tables as they are now, in another way than the validation does. */
  DemoVerdict compare() {
    return new DemoVerdict(
        new TableComparison(
                new PostgresReader(
                    new SourceServer(source.jdbcUrl(), PostgresServer.USER, null, "sluice-demo")),
                TargetServers.postgres(
                    target.jdbcUrl(), PostgresServer.USER, null, "sluice-demo", 0),
                TableMappings.EVERYTHING)
            .compare(ShopSchema.TABLES));
  }
}
