package dev.sluice.connector.journal;

import dev.sluice.config.document.SluiceException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks Kafka for one topic. */
final class TopicLookup {
  private TopicLookup() {}

  /**
   * A topic with the operations that this client may do on it; empty where there is none.
   *
   * @throws SluiceException.Fatal where the client may not see the topic; its cause is Kafka's
   *     AuthorizationException
   * @throws SluiceException.Retryable where Kafka does not answer
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
