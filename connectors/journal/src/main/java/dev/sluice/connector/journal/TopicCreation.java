package dev.sluice.connector.journal;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a journal topic. Some providers of Kafka refuse topic settings: optional ones then keep
 * the cluster's values. Used by one thread.
 */
final class TopicCreation {
  private static final Logger LOG = LoggerFactory.getLogger(TopicCreation.class);

  private final Admin admin;
  private final TopicSettings settings;

  private TopicCreation(Admin admin, TopicSettings settings) {
    this.admin = admin;
    this.settings = settings;
  }

  static TopicCreation on(Admin admin) {
    int brokers =
        KafkaFailures.await("asking for Kafka's brokers", admin.describeCluster().nodes()).size();
    return new TopicCreation(admin, TopicSettings.forBrokers(brokers));
  }

  /**
   * Creates the topic; a topic that exists by now is not changed.
   *
   * @throws SluiceException.Fatal if the cluster refuses, with the reason and the fix
   */
  void create(String topic, boolean compacted) {
    create(topic, compacted, false);
  }

  /** Checks by a dry run whether the cluster would create the topic; creates nothing. */
  void rehearse(String topic, boolean compacted) {
    create(topic, compacted, true);
  }

  private void create(String topic, boolean compacted, boolean rehearsal) {
    Map<String, String> wanted = compacted ? settings.schemas() : settings.journal();
    try {
      try {
        send(topic, wanted, rehearsal);
      } catch (SluiceException e) {
        if (!refusesSettings(e.getCause())) {
          throw e;
        }
        Map<String, String> needed = new HashMap<>(wanted);
        needed.keySet().removeAll(TopicSettings.OPTIONAL);
        send(topic, needed, rehearsal);
        LOG.info(
            "topic {}: the cluster refuses the settings {} ({}); it uses its own values for them",
            topic,
            TopicSettings.OPTIONAL,
            e.getCause().getMessage());
      }
    } catch (SluiceException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw refused(topic, wanted, e);
      }
    }
  }

  private void send(String topic, Map<String, String> configs, boolean rehearsal) {
    NewTopic wanted = new NewTopic(topic, 1, settings.replication()).configs(configs);
    KafkaFailures.await(
        "creating topic " + topic,
        admin
            .createTopics(List.of(wanted), new CreateTopicsOptions().validateOnly(rehearsal))
            .all());
    if (!rehearsal) {
      LOG.info(
          "topic {} created with replication {} and {}", topic, settings.replication(), configs);
    }
  }

  private static boolean refusesSettings(Throwable cause) {
    return cause instanceof PolicyViolationException
        || cause instanceof InvalidConfigurationException;
  }

  private SluiceException refused(String topic, Map<String, String> wanted, SluiceException e) {
    Throwable cause = e.getCause();
    if (cause instanceof AuthorizationException) {
      return new SluiceException.Fatal(
          new Problem(
              "topic " + topic,
              "does not exist, and the user of the kafka section may not create it",
              "the topic, or the right to create it",
              "Ask for the topic with 1 partition, replication factor %d and %s, or run:"
                      .formatted(settings.replication(), wanted)
                  + " kafka-acls.sh --add --allow-principal User:NAME --operation Create --topic "
                  + topic));
    }
    if (refusesSettings(cause) || cause instanceof InvalidReplicationFactorException) {
      return new SluiceException.Fatal(
          new Problem(
              "topic " + topic,
              "the cluster refuses to create it: " + cause.getMessage(),
              "1 partition, replication factor %d and %s".formatted(settings.replication(), wanted),
              "Ask the operator of the cluster to create it with these settings"));
    }
    return e;
  }
}
