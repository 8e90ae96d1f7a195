package dev.sluice.demo;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.postgres.PostgresReader;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.demo.workload.ShopData;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.validate.TableComparison;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** Two PostgreSQL servers. */
final class PostgresServers implements DemoServers {
  private static final String USER = "postgres";

  private final EmbeddedPostgres source;
  private final EmbeddedPostgres target;

  private PostgresServers(EmbeddedPostgres source, EmbeddedPostgres target) {
    this.source = source;
    this.target = target;
  }

  static PostgresServers start(Path folder) throws SQLException {
    EmbeddedPostgres source =
        EmbeddedPostgres.builder().directory(folder.resolve("source")).start();
    try {
      source.createDatabase(DATABASE);
      return new PostgresServers(source, DemoServers.startTarget(folder));
    } catch (SQLException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  @Override
  public void prepare(ShopScale scale) throws SQLException {
    try (Connection connection = connectSource()) {
      ShopSchema.create(connection);
      ShopData.fill(connection, scale);
    }
  }

  @Override
  public Connection connectSource() throws SQLException {
    return source.connect(DATABASE);
  }

  Connection connectTarget() throws SQLException {
    return target.connect(DATABASE);
  }

  @Override
  public ShopTransactions transactions() {
    return ShopTransactions.POSTGRESQL;
  }

  @Override
  public String sourceSection() {
    return section(source);
  }

  /** The section of a source of PostgreSQL. */
  static String section(EmbeddedPostgres source) {
    return """
        source:
          type: postgresql
          url: postgresql://%s@127.0.0.1:%d/%s
          password: the-servers-trust-this-machine\
        """
        .formatted(USER, source.port(), DATABASE);
  }

  @Override
  public int targetPort() {
    return target.port();
  }

  @Override
  public String targetSection() {
    return DemoServers.postgresSection(target);
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
                    new SourceServer(source.jdbcUrl(DATABASE), USER, null, "sluice-demo")),
                TargetServers.postgres(target.jdbcUrl(DATABASE), USER, null, "sluice-demo", 0),
                TableMappings.EVERYTHING)
            .compare(ShopSchema.TABLES));
  }

  @Override
  public void close() {
    try {
      target.close();
    } finally {
      source.close();
    }
  }
}
