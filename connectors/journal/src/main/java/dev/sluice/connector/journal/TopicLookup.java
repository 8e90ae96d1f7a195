package dev.sluice.connector.journal;

import dev.sluice.config.document.SluiceException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Looks up one topic in Kafka. Stateless. */
final class TopicLookup {
  private TopicLookup() {}

  /**
   * A topic with the operations that this client may do on it; empty if it does not exist.
   *
   * @throws SluiceException.Fatal if the client may not see the topic; its cause is Kafka's
   *     AuthorizationException
   * @throws SluiceException.Retryable if Kafka does not answer
   */
  static Optional<TopicDescription> describe(Admin admin, String topic) {
    try {
      return Optional.of(
          KafkaFailures.await(
                  "looking for topic " + topic,
                  admin
                      .describeTopics(
                          List.of(topic),
                          new DescribeTopicsOptions().includeAuthorizedOperations(true))
                      .allTopicNames())
              .get(topic));
    } catch (SluiceException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
