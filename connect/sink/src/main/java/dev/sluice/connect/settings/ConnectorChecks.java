package dev.sluice.connect.settings;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetServer;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.TopicDescription;

/** Checks the target and Kafka before a connector is created. Stateless. */
public final class ConnectorChecks {
  private static final String CONTROL_SCHEMA = "control.schema";

  private ConnectorChecks() {}

  public static void check(ConnectorSettings settings, FieldProblems problems) {
    checkTarget(settings, problems);
    checkTopics(settings, problems);
  }

  private static void checkTarget(ConnectorSettings settings, FieldProblems problems) {
    TargetServer target;
    try {
      target = settings.targetServer();
    } catch (SluiceException e) {
      problems.add(SinkConnectorProperties.TARGET_TYPE, e, "");
      return;
    }
    List<Problem> found =
        TargetChecks.check(target, List.of(settings.controlSchema()), List.of()).all();
    boolean login = !found.isEmpty() && TargetChecks.refusesPassword(target);
    for (Problem problem : found) {
      boolean control = problem.thing().startsWith("control schema");
      String url =
          login ? SinkConnectorProperties.TARGET_PASSWORD : SinkConnectorProperties.TARGET_URL;
      problems.add(control ? CONTROL_SCHEMA : url, problem);
    }
    if (found.isEmpty() && settings.start().isEmpty()) {
      checkBegun(settings, target, problems);
    }
  }

  private static void checkBegun(
      ConnectorSettings settings, TargetServer target, FieldProblems problems) {
    try {
      boolean begun =
          new CheckpointStore(target, settings.controlSchema())
              .read(settings.task().text())
              .filter(checkpoint -> checkpoint.journalTopicId().isPresent())
              .isPresent();
      if (!begun) {
        problems.add(SinkConnectorProperties.START_POSITION, StartPoint.unknownStart());
      }
    } catch (SluiceException e) {
      problems.add(SinkConnectorProperties.TARGET_URL, e, "");
    }
  }

  private static void checkTopics(ConnectorSettings settings, FieldProblems problems) {
    try (KafkaTopics topics = new KafkaTopics(settings.kafka())) {
      for (String topic : settings.input().topics()) {
        boolean isOne =
            settings.layout().isOneTopic()
                || settings.input().transactionTopic().filter(topic::equals).isPresent();
        Optional<TopicDescription> found = topics.describe(topic);
        // Debezium creates a table's topic with its first event.
        if (found.isPresent() || settings.layout().isOneTopic()) {
          checkTopic(found, topic, isOne, SinkConnectorProperties.TOPICS, problems);
        }
      }
      settings
          .input()
          .schemaTopic()
          .ifPresent(
              topic ->
                  checkTopic(
                      topics.describe(topic),
                      topic,
                      true,
                      SinkConnectorProperties.SCHEMA_TOPIC,
                      problems));
    } catch (SluiceException e) {
      problems.add(
          SinkConnectorProperties.KAFKA_SERVERS,
          e,
          "Give those that the worker has, and its security");
    }
  }

  private static void checkTopic(
      Optional<TopicDescription> topic,
      String name,
      boolean isOne,
      String property,
      FieldProblems problems) {
    if (topic.isEmpty()) {
      problems.add(
          property,
          new Problem(
              property,
              "the topic " + name + " is not there",
              "a topic that its publisher has made",
              "Correct the name, or start the publisher first"));
    } else if (isOne && topic.get().partitions().size() != 1) {
      problems.add(
          property,
          new Problem(
              property,
              "the topic %s has %d partitions".formatted(name, topic.get().partitions().size()),
              "one, since its order is the source's commit order",
              "Create it again with one partition"));
    }
  }
}
