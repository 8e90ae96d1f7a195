package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetChecks.Expected;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Users of MySQL: their passwords travel encrypted, and their rights may have exceptions. */
@NeedsMysql
class MysqlUsersTest {
  private static final RowSchema ITEM = TargetLab.schema("item", "*id int", "note text");
  private static final TableId DECIDED = new TableId("sluice_cutover", "decided");

  private static EmbeddedServer server;

  @BeforeAll
  static void start() {
    server =
        EmbeddedMysql.builder()
            .fsync()
            .setting("local-infile", "ON")
            .setting("auto-generate-certs", "ON")
            .setting("partial-revokes", "ON")
            .start();
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void createUser() throws SQLException {
    run(
        "DROP DATABASE IF EXISTS shop",
        "CREATE DATABASE shop",
        "CREATE TABLE shop.item (id int PRIMARY KEY, note longtext)",
        "CREATE DATABASE IF NOT EXISTS sluice_cutover",
        "CREATE TABLE IF NOT EXISTS sluice_cutover.decided (n int PRIMARY KEY)",
        "DROP USER IF EXISTS loader",
        "CREATE USER loader IDENTIFIED WITH caching_sha2_password BY 'secret'",
        "GRANT ALL ON *.* TO loader");
  }

  /** The server asks for the password itself where it does not remember the login. */
  @Test
  void aPasswordTravelsEncryptedAtTheFirstLoginAndAtLaterOnes() throws SQLException {
    for (String options : List.of(certified("verify-ca"), "?sslMode=trust")) {
      // It forgets all logins.
      run("FLUSH PRIVILEGES");
      for (int login = 1; login <= 2; login++) {
        try (TargetConnection connection = target(options, "secret").connect();
            Statement statement = connection.jdbc().createStatement();
            ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) {
          row.next();
          assertThat(row.getString(2)).as(options).isNotEmpty();
        }
      }
    }
  }

  @Test
  void aLoginThatIsRefusedOrCannotBeEncryptedIsNamedWithItsFix() throws SQLException {
    assertThat(unreachable(certified("verify-ca"), "another"))
        .contains("Access denied", "Check user, password")
        .doesNotContain("another");
    assertThat(unreachable("", "secret"))
        .contains("no encryption (sslMode)", "Add ?sslMode=verify-ca&serverSslCert=FILE")
        .doesNotContain("secret");
    assertThat(unreachable(certified("verify-full"), "secret"))
        .contains("127.0.0.1", "certificate", "Correct serverSslCert, sslMode or the host")
        .doesNotContain("can be disabled");
    assertThat(unreachable("?sslMode=verify-ca&serverSslCert=/none.pem", "secret"))
        .contains("/none.pem", "Correct serverSslCert");
    run("ALTER USER loader IDENTIFIED BY ''", "SET GLOBAL require_secure_transport = ON");
    try {
      assertThat(unreachable("", null))
          .contains("insecure transport", "Add ?sslMode=verify-ca&serverSslCert=FILE");
    } finally {
      try (TargetConnection connection = target("?sslMode=trust", null).connect()) {
        connection.execute("SET GLOBAL require_secure_transport = OFF");
      }
    }
  }

  /** The catalog shows the global right alone. */
  @Test
  void rightsThatAreRevokedInOneDatabaseAreMissingThereAlone() throws SQLException {
    run("SET GLOBAL sql_quote_show_create = OFF");
    assertThat(problems()).isEmpty();
    run(
        "REVOKE UPDATE, DELETE, TRIGGER ON shop.* FROM loader",
        "REVOKE ALTER ON own.* FROM loader");
    assertThat(problems().stream().map(Problem::fix))
        .containsExactlyInAnyOrder(
            "Run: GRANT ALTER ON `own`.* TO the user of target.url",
            "Run: GRANT UPDATE, DELETE ON `shop`.`item` TO the user of target.url",
            "Run: GRANT TRIGGER ON `shop`.`item` TO the user of target.url");
    run("GRANT UPDATE, DELETE, TRIGGER ON shop.item TO loader", "GRANT ALTER ON own.* TO loader");
    assertThat(problems()).isEmpty();
  }

  /** The record of a cutover would seem not to be there. */
  @Test
  void aDatabaseThatTheServerHidesFromItsUserIsNotTakenForMissing() throws SQLException {
    requireSight();
    run("REVOKE ALL PRIVILEGES ON sluice_cutover.* FROM loader");
    assertHidden();
    run("REVOKE ALL ON *.* FROM loader", "GRANT SELECT ON shop.* TO loader");
    // Neither wildcards nor their escapes mean anything with partial_revokes.
    run("GRANT SELECT ON `sluice_%`.* TO loader");
    assertHidden();
    run("GRANT SELECT ON `sluice\\_cutover`.* TO loader");
    assertHidden();
    run("GRANT SELECT ON sluice_cutover.* TO loader");
    assertThat(sees()).isTrue();
    requireSight();
  }

  private static void assertHidden() throws SQLException {
    assertThat(sees()).isFalse();
    assertThatThrownBy(MysqlUsersTest::requireSight)
        .hasMessageContaining("GRANT SELECT ON `sluice_cutover`.*");
  }

  private static void requireSight() throws SQLException {
    try (TargetConnection connection = target("?sslMode=trust", "secret").connect()) {
      connection.dialect().controlDefinitions().requireSight(connection.jdbc(), DECIDED);
    }
  }

  private static boolean sees() throws SQLException {
    try (TargetConnection connection = target("?sslMode=trust", "secret").connect()) {
      return connection.dialect().controlDefinitions().hasTable(connection.jdbc(), DECIDED);
    }
  }

  private static List<Problem> problems() {
    return TargetChecks.check(
            target("?sslMode=trust", "secret"),
            List.of("own"),
            List.of(
                new Expected(
                    new TableId("shop", "item"), ITEM.table(), ITEM.columns(), Set.of(), false)))
        .problems();
  }

  private static String unreachable(String options, String password) {
    List<Problem> problems =
        TargetChecks.check(target(options, password), List.of(), List.of()).problems();
    assertThat(problems).as(options).hasSize(1);
    return problems.get(0).toString();
  }

  private static String certified(String mode) {
    return "?sslMode=%s&serverSslCert=%s".formatted(mode, server.directory().resolve("ca.pem"));
  }

  private static TargetServer target(String options, String password) {
    return new TargetServer(
        MariadbDialect.MYSQL,
        new TargetLogin(
            "jdbc:mysql://127.0.0.1:%d/shop%s".formatted(server.port(), options),
            "loader",
            password,
            "test",
            50));
  }

  private static void run(String... statements) throws SQLException {
    try (Connection session = server.connect();
        Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
