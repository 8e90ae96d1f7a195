package dev.sluice.connect.join;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.TopicName;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps tables to their topics by Debezium's names, to distinguish a table without events so far
 * from a table that this connector does not read. Owned by the task's thread.
 */
final class CollectionTopics {
  private static final Logger LOG = LoggerFactory.getLogger(CollectionTopics.class);

  private final String prefix;
  private final Predicate<String> isSubscribed;
  private final JoinRequests cluster;
  private final Map<String, String> topics = new HashMap<>();
  private final Map<String, Boolean> read = new HashMap<>();

  /**
   * @param transactionTopic {@code prefix.transaction}
   * @param isSubscribed true for topics of the connector
   */
  CollectionTopics(String transactionTopic, Predicate<String> isSubscribed, JoinRequests cluster) {
    this.prefix = transactionTopic.substring(0, transactionTopic.lastIndexOf('.') + 1);
    this.isSubscribed = isSubscribed;
    this.cluster = cluster;
  }

  /** The topic with the events of a table. */
  String topicOf(String collection) {
    return topics.computeIfAbsent(collection, name -> TopicName.of(prefix, name));
  }

  /**
   * True if this connector reads the table.
   *
   * @throws SluiceException.Fatal if the table's topic does not have the expected name
   */
  boolean isRead(String collection) {
    Boolean known = read.get(collection);
    if (known == null) {
      known = judge(collection);
      read.put(collection, known);
    }
    return known;
  }

  /**
   * Checks that an event is in the expected topic of its table.
   *
   * @throws SluiceException.Fatal if it is in another one
   */
  void check(String collection, String topic) {
    if (!topicOf(collection).equals(topic)) {
      throw renamed("topic " + topic, "has events of " + collection, collection);
    }
  }

  private boolean judge(String collection) {
    String topic = topicOf(collection);
    if (isSubscribed.test(topic)) {
      return true;
    }
    if (cluster.partitions(topic) == 0) {
      throw renamed("table " + collection, "has changes, and a topic of another name", collection);
    }
    LOG.info("table {} is skipped: the connector does not read its topic {}", collection, topic);
    return false;
  }

  private SluiceException.Fatal renamed(String thing, String found, String collection) {
    return new SluiceException.Fatal(
        new Problem(
            thing,
            found,
            "the topic " + topicOf(collection) + ", as Debezium names it",
            "Leave Debezium's names of topics as they are: no transform that routes, and the"
                + " transaction topic under the same prefix"));
  }
}
