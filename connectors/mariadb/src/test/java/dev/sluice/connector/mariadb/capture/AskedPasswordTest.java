package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever answers in the server's place, and asks for the password, does not get it. */
class AskedPasswordTest {
  private static final String PASSWORD = "of-the-test";

  @ParameterizedTest
  @ValueSource(strings = {"mysql_clear_password", "dialog", ""})
  void aPasswordThatIsAskedForAsItIsIsNotSentByTheReaderOfTheLog(String plugin) throws Exception {
    try (AskingServer server = AskingServer.by(plugin)) {
      assertThatThrownBy(() -> readLog(server))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining(plugin.isEmpty() ? "mysql_old_password" : plugin)
          .hasMessageContaining("sslMode")
          .hasMessageNotContaining(PASSWORD);
      assertThat(server.answers()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql_clear_password", "dialog", ""})
  void aPasswordThatIsAskedForAsItIsIsNotSentBySessions(String plugin) throws Exception {
    try (AskingServer server = AskingServer.by(plugin)) {
      String problems = problems(server);
      assertThat(problems)
          .contains(plugin.isEmpty() ? "a plugin that is not supported" : "a login by " + plugin)
          .doesNotContain(PASSWORD);
      assertThat(server.answers()).allSatisfy(AskedPasswordTest::hasNoPassword);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mysql_clear_password", "dialog", "mysql_old_password"})
  void aPasswordThatTheGreetingAsksForIsNotSentEither(String plugin) throws Exception {
    AskingServer server = AskingServer.by(plugin, plugin);
    try (server) {
      assertThatThrownBy(() -> readLog(server)).isInstanceOf(SluiceException.class);
      assertThat(problems(server)).isNotEqualTo("[]").doesNotContain(PASSWORD);
    }
    assertThat(server.received()).isNotEmpty().allSatisfy(AskedPasswordTest::hasNoPassword);
  }

  @Test
  void aPasswordIsNotEncryptedWithAKeyThatAServerSends() throws Exception {
    try (AskingServer server = AskingServer.by("caching_sha2_password")) {
      assertThatThrownBy(() -> readLog(server))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("caching_sha2_password, which asks for the password itself");
      assertThat(server.answers()).as("a hash, and no question for the key").hasSize(1);
      assertThat(problems(server)).contains("asks for the password itself");
      assertThat(server.answers()).as("a hash, and no question for the key").hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {MariadbConfig.TYPE, MariadbConfig.MYSQL})
  void aServerWithoutTlsGetsNoLoginAtAllIfTheUrlSaysTls(String type) throws Exception {
    try (AskingServer server = AskingServer.by("mysql_clear_password")) {
      Endpoint endpoint = endpoint(type, server, Map.of("sslMode", "trust"));
      assertThatThrownBy(() -> new LogBeginnings(endpoint).secondsOf("binlog.000001"))
          .isInstanceOf(SluiceException.class);
      assertThat(problems(endpoint)).doesNotContain(PASSWORD);
    }
  }

  private static void hasNoPassword(byte[] sent) {
    assertThat(new String(sent, StandardCharsets.ISO_8859_1)).doesNotContain(PASSWORD);
  }

  private static void readLog(AskingServer server) {
    new LogBeginnings(endpoint(MariadbConfig.TYPE, server, Map.of())).secondsOf("binlog.000001");
  }

  private static String problems(AskingServer server) {
    return problems(endpoint(MariadbConfig.TYPE, server, Map.of()));
  }

  private static String problems(Endpoint endpoint) {
    return new MariadbSource("asked", new MariadbConfig(endpoint))
        .checks()
        .problems(TableMappings.EVERYTHING, (TableId any) -> true, true)
        .toString();
  }

  private static Endpoint endpoint(String type, AskingServer server, Map<String, String> options) {
    return new Endpoint(
        type, "127.0.0.1", server.port(), "shop", "replicator", Secret.of(PASSWORD), options);
  }
}
