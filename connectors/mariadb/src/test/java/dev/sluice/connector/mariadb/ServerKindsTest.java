package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a check finds on replicas, and on servers that store names in lower case. */
class ServerKindsTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aReplicaThatDoesNotLogWhatItReplicatesIsRefused() throws SQLException {
    try (EmbeddedMariadb primary = primary();
        EmbeddedMariadb replica = replica(primary, "OFF")) {
      assertThat(problems(replica, "shop"))
          .contains("log_slave_updates is OFF", "log_slave_updates = ON");
      // One that is only stopped may go on at any time.
      run(replica, "STOP SLAVE");
      assertThat(problems(replica, "shop")).contains("log_slave_updates is OFF");
      // Without a primary the setting means nothing.
      assertThat(problems(primary, "shop")).isEqualTo("[]");
    }
  }

  @Test
  void aReplicaThatLogsWhatItReplicatesCanBeTheSource() throws SQLException {
    try (EmbeddedMariadb primary = primary();
        EmbeddedMariadb replica = replica(primary, "ON")) {
      assertThat(problems(replica, "shop")).isEqualTo("[]");
    }
  }

  @Test
  void theNameOfTheDatabaseIsTheServersAlsoWhereLetterCaseDoesNotCount() throws SQLException {
    try (EmbeddedMariadb server =
        EmbeddedMariadb.builder().setting("lower-case-table-names", "1").start()) {
      run(server, "CREATE DATABASE Shop", "CREATE TABLE Shop.Orders (id INT PRIMARY KEY)");
      assertThat(problems(server, "Shop"))
          .contains("its database is named shop, and not Shop", "Correct source.url");
      assertThat(problems(server, "shop")).isEqualTo("[]");
      assertThat(source(server, "shop").catalog(table -> true).tables())
          .extracting(table -> table.table())
          .containsExactly(new TableId("shop", "orders"));
    }
  }

  @Test
  void whereLetterCaseCountsAnotherCaseIsAnotherDatabase() throws SQLException {
    try (EmbeddedMariadb server = EmbeddedMariadb.start()) {
      run(server, "CREATE DATABASE Shop", "CREATE TABLE Shop.Orders (id INT PRIMARY KEY)");
      assertThat(problems(server, "shop")).contains("there is no database shop");
      assertThat(problems(server, "Shop")).isEqualTo("[]");
    }
  }

  private static EmbeddedMariadb primary() throws SQLException {
    EmbeddedMariadb primary = EmbeddedMariadb.start();
    run(primary, "CREATE DATABASE shop", "CREATE TABLE shop.a (id INT PRIMARY KEY)");
    return primary;
  }

  private static EmbeddedMariadb replica(EmbeddedMariadb primary, String logs) throws SQLException {
    EmbeddedMariadb replica =
        EmbeddedMariadb.builder()
            .setting("server-id", "2")
            .setting("log-slave-updates", logs)
            .start();
    run(
        replica,
        """
        CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'root',
          MASTER_SSL_VERIFY_SERVER_CERT = 0, MASTER_USE_GTID = slave_pos
        """
            .formatted(primary.port()),
        "START SLAVE");
    await().atMost(LIMIT).until(() -> hasTable(replica));
    return replica;
  }

  private static boolean hasTable(EmbeddedMariadb server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop'")) {
      row.next();
      return row.getInt(1) == 1;
    }
  }

  private static String problems(EmbeddedMariadb server, String database) {
    return source(server, database)
        .checks()
        .problems(TableMappings.EVERYTHING, (TableId any) -> true, true)
        .toString();
  }

  private static MariadbSource source(EmbeddedMariadb server, String database) {
    return new MariadbSource(
        "kinds",
        new MariadbConfig(
            new Endpoint(
                MariadbConfig.TYPE,
                "127.0.0.1",
                server.port(),
                database,
                "root",
                Secret.NONE,
                Map.of())));
  }

  private static void run(EmbeddedMariadb server, String... statements) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
