package dev.sluice.demo;

import dev.sluice.demo.workload.MariadbShopData;
import dev.sluice.demo.workload.MariadbShopSchema;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A MariaDB server as the source, and a PostgreSQL server. */
final class MariadbServers implements DemoServers {
  private static final String USER = "replicator";
  private static final String PASSWORD = "of-the-demo";

  /** As docs/operate/mariadb.md has them. */
  private static final List<String> RIGHTS =
      List.of(
          "CREATE USER %1$s@'%%' IDENTIFIED BY '%2$s'",
          "GRANT SELECT ON %3$s.* TO %1$s@'%%'",
          "GRANT PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO %1$s@'%%'",
          "GRANT RELOAD, BINLOG ADMIN ON *.* TO %1$s@'%%'");

  private final EmbeddedMariadb source;
  private final EmbeddedPostgres target;

  private MariadbServers(EmbeddedMariadb source, EmbeddedPostgres target) {
    this.source = source;
    this.target = target;
  }

  static MariadbServers start(Path folder) throws SQLException {
    EmbeddedMariadb source = EmbeddedMariadb.builder().directory(folder.resolve("source")).start();
    try {
      source.createDatabase(DATABASE);
      return new MariadbServers(source, DemoServers.startTarget(folder));
    } catch (SQLException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  @Override
  public void prepare(ShopScale scale) throws SQLException {
    try (Connection connection = connectSource();
        Statement statement = connection.createStatement()) {
      MariadbShopSchema.create(connection);
      MariadbShopData.fill(connection, scale);
      for (String right : RIGHTS) {
        statement.execute(right.formatted(USER, PASSWORD, DATABASE));
      }
    }
  }

  @Override
  public Connection connectSource() throws SQLException {
    return source.connect(DATABASE);
  }

  @Override
  public ShopTransactions transactions() {
    return ShopTransactions.MARIADB;
  }

  @Override
  public String sourceSection() {
    return """
        source:
          type: mariadb
          url: mariadb://%s@127.0.0.1:%d/%s
          password: %s\
        """
        .formatted(USER, source.port(), DATABASE, PASSWORD);
  }

  @Override
  public int targetPort() {
    return target.port();
  }

  @Override
  public String targetSection() {
    return DemoServers.postgresSection(target);
  }

  /** The source cannot be closed by the cutover, so it is closed before. */
  @Override
  public boolean cutOver(DemoSteps steps, String task) throws SQLException {
    String readOnly = "SET GLOBAL read_only = ON";
    steps.step("on the source: " + readOnly);
    try (Connection connection = connectSource();
        Statement statement = connection.createStatement()) {
      statement.execute(readOnly);
    }
    return steps.command("cutover", task, "--quiet-period") == 0;
  }

  @Override
  public boolean areEqual(DemoSteps steps, String task) {
    return steps.command("validate", task) == 0;
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
