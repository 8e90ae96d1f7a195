package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerAccessTest {
  @TempDir static Path directory;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.start(directory, BrokerAccess.ownerOnly());
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void theOwnerIsServed() throws Exception {
    assertThat(topics(broker.client())).isEmpty();
  }

  @Test
  void whoHasNoPasswordIsRefused() {
    Map<String, Object> stranger =
        Map.of(
            "bootstrap.servers", broker.bootstrapServers(),
            "request.timeout.ms", 1_000,
            "default.api.timeout.ms", 2_000);
    assertThatThrownBy(() -> topics(stranger))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void whoHasTheSecretOfAnotherBrokerIsRefusedByBrokerAndController() {
    Map<String, String> listeners =
        Map.of(
            "bootstrap.servers", broker.bootstrapServers(),
            "bootstrap.controllers", broker.controllerAddress());
    listeners.forEach(
        (key, address) -> {
          Map<String, Object> stranger = new HashMap<>(BrokerAccess.ownerOnly().client());
          stranger.put(key, address);
          assertThatThrownBy(() -> nodes(stranger))
              .as(key)
              .isInstanceOf(ExecutionException.class)
              .hasCauseInstanceOf(SaslAuthenticationException.class);
        });
  }

  @Test
  void theSecretIsNotInTheText() {
    BrokerAccess access = BrokerAccess.ownerOnly();
    assertThat(access.client().get("sasl.jaas.config")).contains("password=");
    assertThat(access.toString()).doesNotContain("password");
  }

  private static Set<String> topics(Map<String, Object> client) throws Exception {
    try (Admin admin = Admin.create(client)) {
      return admin.listTopics().names().get();
    }
  }

  private static Collection<Node> nodes(Map<String, Object> client) throws Exception {
    try (Admin admin = Admin.create(client)) {
      return admin.describeCluster().nodes().get();
    }
  }
}
