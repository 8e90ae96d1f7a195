package dev.sluice.connector.mariadb;

import static dev.sluice.connector.mariadb.MariadbChecksTest.of;
import static dev.sluice.connector.mariadb.MariadbChecksTest.problems;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a check finds on real servers of MySQL, by name. */
@OnMysql
class MysqlChecksTest {
  private static final String USABLE = "CREATE TABLE a (id int PRIMARY KEY)";
  private static final String RIGHTS =
      "GRANT PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO %s";

  @Test
  void theUserWithTheRightsOfTheDocumentHasNoProblem() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      String user = user(database);
      database.execute(
          "GRANT SELECT, LOCK TABLES ON %s.* TO %s".formatted(database.name, user),
          RIGHTS.formatted(user));
      assertThat(problems(as(database, user), true)).isEmpty();
      assertThat(as(database, user).checks().notes(TableMappings.EVERYTHING).toString())
          .contains("XA RECOVER")
          .doesNotContain("was not tried");
      database.execute("GRANT XA_RECOVER_ADMIN ON *.* TO " + user);
      assertThat(as(database, user).checks().notes(TableMappings.EVERYTHING))
          .singleElement()
          .asString()
          .startsWith("sync_binlog is 0");
    }
  }

  @Test
  void rightsThatAreMissingAreNamed() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      String user = user(database);
      database.execute("GRANT INSERT ON %s.a TO %s".formatted(database.name, user));
      assertThat(problems(as(database, user), true).toString())
          .contains("PROCESS", "REPLICATION SLAVE", "REPLICATION CLIENT")
          .contains("lacks SELECT for database", "lacks LOCK TABLES for database")
          .doesNotContain("SET DEFAULT ROLE");
    }
  }

  @Test
  void rightsOfARoleCountIfItIsActive() {
    try (SourceDatabase database = new SourceDatabase(USABLE)) {
      String user = user(database);
      String role = "r" + database.name;
      database.execute(
          "CREATE ROLE " + role,
          "GRANT SELECT, LOCK TABLES ON %s.* TO %s".formatted(database.name, role),
          RIGHTS.formatted(role),
          "GRANT %s TO %s".formatted(role, user));
      assertThat(problems(as(database, user), true).toString())
          .contains("there is no database", "lacks PROCESS", "SET DEFAULT ROLE ALL TO");
      database.execute("SET DEFAULT ROLE ALL TO " + user);
      assertThat(problems(as(database, user), true)).isEmpty();
    }
  }

  @Test
  void aRightThatWasTakenForTheDatabaseIsMissing() throws Exception {
    try (EmbeddedServer server = Servers.builder().setting("partial-revokes", "ON").start()) {
      server.createDatabase("shop");
      run(
          server,
          "CREATE TABLE shop.a (id int PRIMARY KEY)",
          "CREATE USER taken",
          "GRANT ALL ON *.* TO taken");
      assertThat(problems(source(server, "taken"), true)).isEmpty();
      run(server, "REVOKE LOCK TABLES ON shop.* FROM taken");
      assertThat(problems(source(server, "taken"), true).toString())
          .contains("lacks LOCK TABLES for database shop")
          .doesNotContain("lacks SELECT");
    }
  }

  @Test
  void settingsThatLoseChangesAreNamedWithTheStatementThatCorrectsThem() throws Exception {
    try (EmbeddedServer server =
        Servers.builder()
            .setting("binlog-format", "MIXED")
            .setting("binlog-row-image", "MINIMAL")
            .setting("binlog-row-metadata", "MINIMAL")
            .setting("binlog-row-value-options", "PARTIAL_JSON")
            .setting("binlog-transaction-compression", "ON")
            .setting("binlog-ignore-db", "shop")
            .setting("binlog-expire-logs-seconds", "3600")
            .setting("server-id", "0")
            .start()) {
      server.createDatabase("shop");
      assertThat(problems(source(server, "root"), true).toString())
          .contains("binlog_format is MIXED", "SET PERSIST binlog_format = ROW;")
          .contains("binlog_row_image is MINIMAL")
          .contains("binlog_row_metadata is MINIMAL")
          .contains("binlog_row_value_options is PARTIAL_JSON")
          .contains("SET PERSIST binlog_row_value_options = '';")
          .contains("binlog_transaction_compression is ON")
          .contains("server_id is 0")
          .contains("binlog_do_db '', binlog_ignore_db 'shop'")
          .contains("select no table");
      assertThat(source(server, "root").checks().notes(TableMappings.EVERYTHING).toString())
          .contains("binlog_expire_logs_seconds is 3600");
      run(server, "SET GLOBAL binlog_expire_logs_auto_purge = OFF");
      assertThat(source(server, "root").checks().notes(TableMappings.EVERYTHING).toString())
          .doesNotContain("binlog_expire_logs_seconds");
    }
  }

  /** Statements are judged by the database that their session uses. */
  @Test
  void aServerThatLogsSomeDatabasesOnlyIsRefusedAlsoIfItLogsTheSources() throws Exception {
    for (String rule : List.of("binlog-do-db=shop", "binlog-ignore-db=mysql")) {
      String[] setting = rule.split("=");
      try (EmbeddedServer server = Servers.builder().setting(setting[0], setting[1]).start()) {
        server.createDatabase("shop");
        run(server, "CREATE TABLE shop.a (id int PRIMARY KEY)");
        assertThat(problems(source(server, "root"), true))
            .singleElement()
            .asString()
            .contains("it logs some databases only", "'" + setting[1] + "'", "TRUNCATE");
        assertThat(problems(source(server, "root"), false)).isEmpty();
      }
    }
  }

  @Test
  void aServerWithoutABinaryLogIsNamed() throws Exception {
    try (EmbeddedServer server = Servers.builder().setting("skip-log-bin", "ON").start()) {
      server.createDatabase("shop");
      assertThat(problems(source(server, "root"), true).toString())
          .contains("log_bin is OFF", "section [mysqld]");
      assertThat(problems(source(server, "root"), false).toString())
          .doesNotContain("log_bin")
          .contains("select no table");
    }
  }

  @Test
  void tablesThatCannotBeReplicatedAreNamedWithTheReason() {
    try (SourceDatabase database =
        new SourceDatabase(
            USABLE,
            "CREATE TABLE keyless (x int)",
            "CREATE TABLE isam (id int PRIMARY KEY) ENGINE = MyISAM",
            "CREATE TABLE near (id int PRIMARY KEY, v vector(3))",
            "CREATE TABLE by_expression (id int NOT NULL, UNIQUE ((id + 1)))",
            "CREATE TABLE `" + "ä".repeat(40) + "` (id int PRIMARY KEY)")) {
      List<Problem> found = problems(database.source(), true);
      assertThat(of("table " + database.table("keyless"), found)).contains("no primary key");
      assertThat(of("table " + database.table("isam"), found)).contains("MyISAM");
      assertThat(of("table " + database.table("near"), found)).contains("column v", "vector(3)");
      assertThat(of("table " + database.table("by_expression"), found)).contains("no primary key");
      assertThat(of("table " + database.table("ä".repeat(40)), found)).contains("80 bytes");
      assertThat(of("table " + database.table("a"), found)).isEqualTo("[]");
    }
  }

  @Test
  void foreignKeysThatChangeRowsAreRefusedWhereInnodbFollowsThem() throws Exception {
    List<String> tables =
        List.of(
            "CREATE TABLE shop.parent (id int PRIMARY KEY)",
            "CREATE TABLE shop.child (id int PRIMARY KEY, p int,"
                + " FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)");
    for (String followed : List.of("ON", "OFF")) {
      try (EmbeddedServer server =
          Servers.builder().setting("innodb-native-foreign-keys", followed).start()) {
        server.createDatabase("shop");
        run(server, tables.toArray(String[]::new));
        String found = problems(source(server, "root"), true).toString();
        if (followed.equals("ON")) {
          assertThat(found).contains("table shop.child", "ON DELETE CASCADE");
        } else {
          assertThat(found).isEqualTo("[]");
        }
      }
    }
  }

  @Test
  void keysThatTheServerMadeAndInvisibleColumnsAreKnown() {
    try (SourceDatabase database =
        new SourceDatabase(
            "SET SESSION sql_generate_invisible_primary_key = ON",
            "CREATE TABLE made (x int)",
            "CREATE TABLE hidden (id int PRIMARY KEY, y int INVISIBLE)",
            "SET GLOBAL show_gipk_in_create_table_and_information_schema = OFF")) {
      assertThat(problems(database.source(), true)).isEmpty();
      assertThat(database.source().checks().notes(TableMappings.EVERYTHING).toString())
          .contains("the invisible columns [my_row_id]", "the invisible columns [y]");
      database.execute("SET GLOBAL show_gipk_in_create_table_and_information_schema = ON");
    }
  }

  @Test
  void aReplicaThatDoesNotLogWhatItReplicatesIsRefused() throws Exception {
    try (EmbeddedServer server = Servers.builder().setting("log-replica-updates", "OFF").start()) {
      server.createDatabase("shop");
      run(server, "CREATE TABLE shop.a (id int PRIMARY KEY)");
      assertThat(problems(source(server, "root"), true)).isEmpty();
      run(server, "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1");
      assertThat(problems(source(server, "root"), true).toString())
          .contains("log_slave_updates is OFF", "section [mysqld]");
    }
  }

  /** What an older primary sends is applied as it did: InnoDB follows the keys, without the log. */
  @Test
  void foreignKeysThatChangeRowsAreRefusedOnAReplica() throws Exception {
    try (EmbeddedServer server = Servers.start()) {
      server.createDatabase("shop");
      run(
          server,
          "CREATE TABLE shop.parent (id int PRIMARY KEY)",
          "CREATE TABLE shop.child (id int PRIMARY KEY, p int, CONSTRAINT of_parent"
              + " FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE)",
          "CREATE USER reader",
          "GRANT SELECT, LOCK TABLES ON shop.* TO reader",
          RIGHTS.formatted("reader"));
      assertThat(problems(source(server, "reader"), true)).isEmpty();
      run(server, "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1");
      assertThat(problems(source(server, "reader"), true))
          .singleElement()
          .asString()
          .contains("table shop.child", "of_parent", "ON DELETE CASCADE", "it replicates");
      assertThat(problems(source(server, "reader"), false)).isEmpty();
    }
  }

  private static String user(SourceDatabase database) {
    database.execute("CREATE USER u" + database.name);
    return "u" + database.name;
  }

  private static MariadbSource as(SourceDatabase database, String user) {
    return new MariadbSource("checks", database.config(user, Secret.NONE));
  }

  private static MariadbSource source(EmbeddedServer server, String user) {
    return new MariadbSource(
        "checks",
        new MariadbConfig(
            new Endpoint(
                MariadbConfig.MYSQL,
                "127.0.0.1",
                server.port(),
                "shop",
                user,
                Secret.NONE,
                Map.of())));
  }

  private static void run(EmbeddedServer server, String... statements) throws Exception {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
