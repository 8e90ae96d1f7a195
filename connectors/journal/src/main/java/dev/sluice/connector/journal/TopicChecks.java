package dev.sluice.connector.journal;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Checks the settings of a journal topic and the client's rights on it. Changes nothing. Used by
 * one thread.
 */
final class TopicChecks {
  /** DELETE is for applied records, and for the topic when the task is removed. */
  private static final Set<AclOperation> NEEDED =
      EnumSet.of(
          AclOperation.READ,
          AclOperation.WRITE,
          AclOperation.DELETE,
          AclOperation.DESCRIBE,
          AclOperation.DESCRIBE_CONFIGS);

  private final Admin admin;
  private final int brokers;

  private TopicChecks(Admin admin, int brokers) {
    this.admin = admin;
    this.brokers = brokers;
  }

  static TopicChecks on(Admin admin) {
    return new TopicChecks(
        admin,
        KafkaFailures.await("asking for Kafka's brokers", admin.describeCluster().nodes()).size());
  }

  /**
   * The problems of a topic; for a missing topic, why it cannot be created.
   *
   * @throws SluiceException.Retryable if Kafka does not answer
   */
  List<Problem> problems(String topic, boolean compacted) {
    try {
      Optional<TopicDescription> description = TopicLookup.describe(admin, topic);
      if (description.isEmpty()) {
        TopicCreation.on(admin).rehearse(topic, compacted);
        return List.of();
      }
      List<Problem> rights = missingRights(topic, description.get());
      return rights.isEmpty() ? settings(topic, compacted, description.get()) : rights;
    } catch (SluiceException.Fatal e) {
      if (e.getCause() instanceof AuthorizationException) {
        return List.of(missing(topic, NEEDED));
      }
      if (e.problems().isEmpty()) {
        throw e;
      }
      return e.problems();
    }
  }

  private static List<Problem> missingRights(String topic, TopicDescription description) {
    Set<AclOperation> missing = EnumSet.copyOf(NEEDED);
    Set<AclOperation> granted = description.authorizedOperations();
    // Brokers before 2.3 do not report it.
    if (granted == null || missing.removeAll(granted) && missing.isEmpty()) {
      return List.of();
    }
    return List.of(missing(topic, missing));
  }

  private static Problem missing(String topic, Set<AclOperation> operations) {
    String flags =
        operations.stream()
            .map(operation -> " --operation " + kafkaName(operation))
            .collect(Collectors.joining());
    return new Problem(
        "topic " + topic,
        "the user of the kafka section lacks the right "
            + operations.stream().map(Enum::name).collect(Collectors.joining(", ")),
        "READ, WRITE, DELETE, DESCRIBE and DESCRIBE_CONFIGS on the topic, and CREATE if it does not"
            + " exist",
        "Run: kafka-acls.sh --add --allow-principal User:NAME%s --topic %s"
            .formatted(flags, topic));
  }

  /** The spelling of Kafka's commands: DESCRIBE_CONFIGS is DescribeConfigs. */
  private static String kafkaName(AclOperation operation) {
    StringBuilder name = new StringBuilder();
    for (String word : operation.name().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }

  private List<Problem> settings(String topic, boolean compacted, TopicDescription description) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config config =
        KafkaFailures.await(
                "reading the settings of topic " + topic,
                admin.describeConfigs(List.of(resource)).all())
            .get(resource);
    return TopicSettings.problems(
        topic,
        compacted,
        description.partitions().size(),
        description.partitions().get(0).replicas().size(),
        TopicSettings.forBrokers(brokers).replication(),
        name -> Optional.ofNullable(config.get(name)).map(ConfigEntry::value).orElse(""));
  }
}
