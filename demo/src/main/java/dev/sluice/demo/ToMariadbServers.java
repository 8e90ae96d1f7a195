package dev.sluice.demo;

import dev.sluice.demo.workload.ShopData;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A PostgreSQL server as the source, and a MariaDB server. */
final class ToMariadbServers implements DemoServers {
  private static final String USER = "loader";
  private static final String PASSWORD = "of-the-demo";

  /** What the DBA does first. */
  private static final List<String> RIGHTS =
      List.of(
          "CREATE USER %1$s@'%%' IDENTIFIED BY '%2$s'",
          "GRANT SELECT, INSERT, UPDATE, DELETE, ALTER, TRIGGER, LOCK TABLES, CREATE TEMPORARY TABLES ON %3$s.* TO %1$s@'%%'",
          "GRANT CREATE, DROP, INDEX, REFERENCES ON %3$s.* TO %1$s@'%%'",
          "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, LOCK TABLES ON sluice_control.* TO %1$s@'%%'",
          "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON sluice_cutover.* TO %1$s@'%%'",
          "GRANT PROCESS, BINLOG ADMIN ON *.* TO %1$s@'%%'");

  /** Tables without a key are not for MariaDB: a DBA gives this one a key before the task. */
  private static final String[] KEY = {
    "ALTER TABLE shop.history ADD COLUMN h_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "ALTER TABLE shop.history REPLICA IDENTITY DEFAULT"
  };

  /** The number that the source gives out besides keys. */
  private static final String SEQUENCE = "CREATE SEQUENCE shop.orders_o_number_seq CACHE 1";

  private final EmbeddedPostgres source;
  private final EmbeddedMariadb target;

  private ToMariadbServers(EmbeddedPostgres source, EmbeddedMariadb target) {
    this.source = source;
    this.target = target;
  }

  static ToMariadbServers start(Path folder) throws SQLException {
    EmbeddedPostgres source =
        EmbeddedPostgres.builder().directory(folder.resolve("source")).start();
    try {
      source.createDatabase(DATABASE);
      EmbeddedMariadb target =
          EmbeddedMariadb.builder().fsync().directory(folder.resolve("target")).start();
      try {
        target.createDatabase(DATABASE);
        return new ToMariadbServers(source, target);
      } catch (SQLException | RuntimeException e) {
        target.close();
        throw e;
      }
    } catch (SQLException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  @Override
  public void prepare(ShopScale scale) throws SQLException {
    try (Connection connection = connectSource();
        Statement statement = connection.createStatement()) {
      ShopSchema.create(connection);
      ShopData.fill(connection, scale);
      for (String each : KEY) {
        statement.execute(each);
      }
    }
    try (Connection connection = target.connect(DATABASE);
        Statement statement = connection.createStatement()) {
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
    return ShopTransactions.POSTGRESQL;
  }

  @Override
  public String sourceSection() {
    return PostgresServers.section(source);
  }

  @Override
  public int targetPort() {
    return target.port();
  }

  @Override
  public String targetSection() {
    return """
        target:
          type: mariadb
          url: mariadb://%s@127.0.0.1:%d/%s
          password: %s\
        """
        .formatted(USER, target.port(), DATABASE, PASSWORD);
  }

  /**
   * Nobody waits for it, and this machine may be slow. MariaDB takes some of PostgreSQL's indexes
   * and checks not, which whoever moves decides about.
   */
  @Override
  public boolean cutOver(DemoSteps steps, String task) throws SQLException {
    steps.step("on the target: " + SEQUENCE);
    try (Connection connection = target.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute(SEQUENCE);
    }
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
