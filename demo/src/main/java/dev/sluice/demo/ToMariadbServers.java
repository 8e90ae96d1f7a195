package dev.sluice.demo;

import dev.sluice.demo.workload.ShopData;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A PostgreSQL server as the source, and a MariaDB server. */
record ToMariadbServers(PostgresServer source, DemoMariadb target) implements DemoServers {
  /** As docs/operate/mariadb-target.md has them. */
  private static final List<String> RIGHTS =
      List.of(
          "GRANT SELECT, INSERT, UPDATE, DELETE, ALTER, TRIGGER, LOCK TABLES, CREATE TEMPORARY TABLES ON %2$s.* TO %1$s@'%%'",
          "GRANT CREATE, DROP, INDEX, REFERENCES ON %2$s.* TO %1$s@'%%'",
          "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, LOCK TABLES ON sluice_control.* TO %1$s@'%%'",
          "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON sluice_cutover.* TO %1$s@'%%'",
          "GRANT PROCESS, BINLOG ADMIN ON *.* TO %1$s@'%%'");

  /** Tables without a key are not for MariaDB: a DBA gives this one a key before the task. */
  private static final List<String> KEY =
      List.of(
          "ALTER TABLE shop.history ADD COLUMN h_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
          "ALTER TABLE shop.history REPLICA IDENTITY DEFAULT");

  /** The number that the source gives out besides keys. */
  private static final String SEQUENCE = "CREATE SEQUENCE shop.orders_o_number_seq CACHE 1";

  static ToMariadbServers start(Path folder) throws SQLException {
    return DemoServers.start(
        folder,
        PostgresServer::start,
        own -> DemoMariadb.start(EmbeddedMariadb.builder().fsync().directory(own), "loader"),
        ToMariadbServers::new);
  }

  @Override
  public void prepare(ShopScale scale) throws SQLException {
    try (Connection connection = connectSource()) {
      ShopSchema.create(connection);
      ShopData.fill(connection, scale);
    }
    for (String each : KEY) {
      source.run(each);
    }
    target.grant(RIGHTS);
  }

  @Override
  public ShopTransactions transactions() {
    return ShopTransactions.POSTGRESQL;
  }

  /**
   * Nobody waits for it, and this machine may be slow. MariaDB takes some of PostgreSQL's indexes
   * and checks not, which whoever moves decides about.
   */
  @Override
  public boolean cutOver(DemoSteps steps, String task) throws SQLException {
    steps.step("on the target: " + SEQUENCE);
    target.run(SEQUENCE);
    return steps.command(
            "cutover",
            task,
            "--budget",
            "60",
            "--accept",
            "unfinished-constraints",
            "--accept",
            "unfinished-indexes")
        == 0;
  }
}
