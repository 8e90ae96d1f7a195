package dev.sluice.connector.journal;

import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.DELETE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.embedded.BrokerAccess;
import dev.sluice.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.policy.CreateTopicPolicy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal on a cluster with users, rights and a policy for new topics, as providers have. */
class JournalRightsTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final SecurityProtocol PROTOCOL = SecurityProtocol.SASL_PLAINTEXT;
  private static final String USER = "migration";
  private static final String PASSWORD = "secret";

  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static Admin administrator;

  @BeforeAll
  static void startBroker() {
    broker =
        EmbeddedBroker.start(
            directory,
            BrokerAccess.withPasswords(PROTOCOL, Map.of("sluice", "boss", USER, PASSWORD))
                .with(
                    Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users",
                        "User:sluice",
                        "create.topic.policy.class.name",
                        ProviderPolicy.class.getName())));
    administrator = Admin.create(broker.client());
  }

  @AfterAll
  static void stopBroker() {
    administrator.close();
    broker.close();
  }

  @Test
  void existingTopicsAreUsedWithoutTheRightToCreateTopics() throws Exception {
    JournalTopics topics = JournalTopics.ofTask("made_by_others");
    try (Journal administrators = new Journal(broker.client(), topics)) {
      administrators.create();
    }
    allow(topics, READ, WRITE, DELETE, DESCRIBE_CONFIGS);
    try (Journal journal = new Journal(user(), topics)) {
      await().atMost(TIMEOUT).until(() -> journal.problems().isEmpty());
      journal.create();
      assertThat(journal.endOffset()).isZero();
    }
  }

  @Test
  void eachMissingRightIsNamedWithTheCommandThatGrantsIt() throws Exception {
    JournalTopics topics = JournalTopics.ofTask("few_rights");
    try (Journal administrators = new Journal(broker.client(), topics)) {
      administrators.create();
    }
    allow(topics, READ);
    try (Journal journal = new Journal(user(), topics)) {
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(journal.problems())
                      .extracting(Problem::found)
                      .containsOnly(
                          "the user of the kafka section lacks the right WRITE, DELETE,"
                              + " DESCRIBE_CONFIGS"));
      assertThat(journal.problems())
          .hasSize(2)
          .first()
          .satisfies(
              problem ->
                  assertThat(problem.fix())
                      .contains("--operation DescribeConfigs --topic " + topics.journal()));
    }
  }

  @Test
  void aMissingRightToCreateTopicsIsReportedBeforeTheStart() {
    JournalTopics topics = JournalTopics.ofTask("not_there");
    try (Journal journal = new Journal(user(), topics)) {
      assertThat(journal.problems())
          .extracting(Problem::thing)
          .containsExactly("topic " + topics.journal(), "topic " + topics.schemas());
    }
  }

  @Test
  void optionalTopicSettingsThatTheClusterRefusesAreSkipped() throws Exception {
    JournalTopics topics = JournalTopics.ofTask("managed");
    allow(topics, CREATE, READ, WRITE, DELETE, DESCRIBE_CONFIGS);
    try (Journal journal = new Journal(user(), topics)) {
      await().atMost(TIMEOUT).until(() -> journal.problems().isEmpty());
      journal.create();
      assertThat(journal.problems()).isEmpty();
    }
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, topics.journal());
    assertThat(
            administrator.describeConfigs(List.of(topic)).all().get().get(topic).entries().stream()
                .filter(entry -> !entry.isDefault())
                .map(entry -> entry.name() + "=" + entry.value()))
        .contains("retention.ms=-1", "flush.messages=1")
        .noneMatch(entry -> entry.startsWith("segment.bytes"));
  }

  @Test
  void aClusterThatRefusesRequiredSettingsIsReportedBeforeTheStart() {
    JournalTopics topics = JournalTopics.ofTask("forbidden");
    try (Journal journal = new Journal(broker.client(), topics)) {
      assertThat(journal.problems())
          .hasSize(2)
          .allSatisfy(problem -> assertThat(problem.found()).contains("no topics here"));
      assertThatThrownBy(journal::create)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("no topics here");
    }
  }

  private static Map<String, Object> user() {
    Map<String, Object> client = new HashMap<>(BrokerAccess.clientOf(PROTOCOL, USER, PASSWORD));
    client.put("bootstrap.servers", broker.bootstrapServers());
    return client;
  }

  private static void allow(JournalTopics topics, AclOperation... operations) throws Exception {
    for (String topic : List.of(topics.journal(), topics.schemas())) {
      administrator
          .createAcls(
              Arrays.stream(operations)
                  .map(
                      operation ->
                          new AclBinding(
                              new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                              new AccessControlEntry(
                                  "User:" + USER, "*", operation, AclPermissionType.ALLOW)))
                  .toList())
          .all()
          .get();
    }
  }

  /** Refuses settings that providers of Kafka keep to themselves. */
  public static final class ProviderPolicy implements CreateTopicPolicy {
    private static final Set<String> REFUSED = Set.of("segment.bytes", "file.delete.delay.ms");

    @Override
    public void validate(RequestMetadata request) {
      if (request.topic().contains("forbidden")) {
        throw new PolicyViolationException("no topics here");
      }
      if (request.topic().contains("managed")) {
        for (String setting : request.configs().keySet()) {
          if (REFUSED.contains(setting)) {
            throw new PolicyViolationException(setting + " cannot be set");
          }
        }
      }
    }

    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public void close() {}
  }
}
