package dev.sluice.connector.mariadb.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenPasswordTest {
  private static final Secret PASSWORD = Secret.of("geheim");

  @Test
  void aPasswordThatLeavesTheMachineWithoutTlsIsNoted() {
    assertThat(OpenPassword.note(endpoint("192.0.2.1", PASSWORD, Map.of())).orElseThrow())
        .contains("sslMode=verify-ca")
        .doesNotContain("geheim");
    assertThat(OpenPassword.note(endpoint("192.0.2.1", PASSWORD, Map.of("sslMode", "disable"))))
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "localhost"})
  void oneThatStaysOnTheMachineIsNot(String host) {
    assertThat(OpenPassword.note(endpoint(host, PASSWORD, Map.of()))).isEmpty();
  }

  @Test
  void noPasswordAndAnEncryptedOneAreNot() {
    assertThat(OpenPassword.note(endpoint("192.0.2.1", Secret.NONE, Map.of()))).isEmpty();
    assertThat(OpenPassword.note(endpoint("192.0.2.1", PASSWORD, Map.of("sslMode", "verify-ca"))))
        .isEmpty();
  }

  private static Endpoint endpoint(String host, Secret password, Map<String, String> options) {
    return new Endpoint(MariadbConfig.TYPE, host, 3306, "shop", "replicator", password, options);
  }
}
