package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.OnMysql;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Logins with a password, through the certificates that MySQL makes by itself. */
@OnMysql
class MysqlLoginTest {
  private static final String PASSWORD = "of-the-test";
  private static final Map<String, String> ANY = Map.of("sslMode", "trust");

  private static EmbeddedServer server;

  @BeforeAll
  static void start() throws Exception {
    server =
        Servers.builder()
            .setting("auto-generate-certs", "ON")
            .setting("caching-sha2-password-auto-generate-rsa-keys", "ON")
            .start();
    server.createDatabase("shop");
    run("CREATE TABLE shop.a (id INT PRIMARY KEY)");
    for (String user : List.of("replicator", "locked")) {
      run(
          "CREATE USER %s IDENTIFIED WITH caching_sha2_password BY '%s'".formatted(user, PASSWORD),
          "GRANT SELECT, LOCK TABLES ON shop.* TO " + user,
          "GRANT PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO " + user);
    }
    run("ALTER USER locked ACCOUNT LOCK");
    run(
        "CREATE USER old IDENTIFIED WITH sha256_password BY '%s'".formatted(PASSWORD),
        "GRANT ALL ON *.* TO old");
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void sessionsAndTheReaderOfTheLogSendThePasswordThroughTls() throws Exception {
    for (Map<String, String> options : List.of(ANY, verified("ca.pem"))) {
      forgetPasswords();
      assertThat(problems("replicator", PASSWORD, options)).isEqualTo("[]");
      // The server knows the password after a login, and asks for less then.
      forgetPasswords();
      assertThat(secondsOfFirstFile(endpoint("replicator", PASSWORD, options))).isPositive();
      assertThat(secondsOfFirstFile(endpoint("replicator", PASSWORD, options))).isPositive();
    }
  }

  @Test
  void aCertificateThatNobodyProvesIsNamedAndTheServerIsNotSaidToBeOff() {
    assertThat(problems("replicator", PASSWORD, verified("client-cert.pem")))
        .contains("its encryption fails", "serverSslCert")
        .doesNotContain("source.type");
    assertThatThrownBy(
            () -> secondsOfFirstFile(endpoint("replicator", PASSWORD, verified("client-cert.pem"))))
        .isInstanceOf(SluiceException.class);
    Map<String, String> host =
        Map.of("sslMode", "verify-full", "serverSslCert", file("ca.pem").toString());
    assertThat(problems("replicator", PASSWORD, host))
        .contains("its encryption fails", "doesn't correspond")
        .doesNotContain("can be disabled");
    assertThatThrownBy(() -> secondsOfFirstFile(endpoint("replicator", PASSWORD, host)))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void withoutTlsThePasswordIsNotSent() throws Exception {
    forgetPasswords();
    assertThat(problems("replicator", PASSWORD, Map.of()))
        .contains("asks for the password itself", "sslMode")
        .doesNotContain(PASSWORD);
    assertThatThrownBy(() -> secondsOfFirstFile(endpoint("replicator", PASSWORD, Map.of())))
        .hasMessageContaining("no encryption for the password");
    // A task of the other type gets no further either, and is told what it may be.
    Endpoint mariadb =
        new Endpoint(
            MariadbConfig.TYPE,
            "127.0.0.1",
            server.port(),
            "shop",
            "replicator",
            Secret.of(PASSWORD),
            Map.of());
    assertThat(problems(mariadb)).contains("source.type: mysql");
  }

  @Test
  void aWrongPasswordIsOneProblemWithoutThePassword() {
    List<Problem> found = found(endpoint("replicator", "not-that-one", ANY));
    assertThat(found).hasSize(1);
    assertThat(found.toString())
        .contains("refuses the user or its password")
        .doesNotContain("not-that-one");
    assertThatThrownBy(() -> secondsOfFirstFile(endpoint("replicator", "not-that-one", ANY)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("Access denied")
        .hasMessageNotContaining("not-that-one");
  }

  @Test
  void aLockedUserAndAnUnknownLoginAreNamed() {
    assertThat(problems("locked", PASSWORD, ANY)).contains("ACCOUNT UNLOCK");
    assertThat(problems("old", PASSWORD, ANY)).contains("sha256_password", "caching_sha2_password");
  }

  private static void forgetPasswords() throws Exception {
    run("FLUSH PRIVILEGES");
  }

  private static Map<String, String> verified(String certificate) {
    return Map.of("sslMode", "verify-ca", "serverSslCert", file(certificate).toString());
  }

  private static Path file(String name) {
    return server.directory().resolve(name);
  }

  /** Logs in as the reader of the log does. */
  private static long secondsOfFirstFile(Endpoint endpoint) {
    return new LogBeginnings(endpoint).secondsOf("binlog.000001");
  }

  private static String problems(String user, String password, Map<String, String> options) {
    return problems(endpoint(user, password, options));
  }

  private static String problems(Endpoint endpoint) {
    return found(endpoint).toString();
  }

  private static List<Problem> found(Endpoint endpoint) {
    return new MariadbSource("login", new MariadbConfig(endpoint))
        .checks()
        .problems(TableMappings.EVERYTHING, (TableId any) -> true, true);
  }

  private static Endpoint endpoint(String user, String password, Map<String, String> options) {
    return new Endpoint(
        MariadbConfig.MYSQL,
        "127.0.0.1",
        server.port(),
        "shop",
        user,
        Secret.of(password),
        options);
  }

  private static void run(String... statements) throws Exception {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
