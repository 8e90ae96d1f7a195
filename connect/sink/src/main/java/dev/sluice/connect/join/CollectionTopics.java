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
 * Knows the topic of each table as Debezium names it, so that a table of which nothing has come yet
 * is told from one that is not read here. Owned by the task's thread.
 */
final class CollectionTopics {
  private static final Logger LOG = LoggerFactory.getLogger(CollectionTopics.class);

  private final String prefix;
  private final Predicate<String> isSubscribed;
  private final Cluster cluster;
  private final Map<String, String> topics = new HashMap<>();
  private final Map<String, Boolean> read = new HashMap<>();

  /**
   * @param transactionTopic {@code prefix.transaction}
   * @param isSubscribed whether a topic is one of the connector's
   */
  CollectionTopics(String transactionTopic, Predicate<String> isSubscribed, Cluster cluster) {
    this.prefix = transactionTopic.substring(0, transactionTopic.lastIndexOf('.') + 1);
    this.isSubscribed = isSubscribed;
    this.cluster = cluster;
  }

  /** The topic that the events of a table are in. */
  String topicOf(String collection) {
    return topics.computeIfAbsent(collection, name -> TopicName.of(prefix, name));
  }

  /**
   * Whether a table is read by this connector.
   *
   * @throws SluiceException.Fatal where it has no topic of the name that it should have
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
   * Holds an event to the topic that its table should have.
   *
   * @throws SluiceException.Fatal where it came in another one
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
    LOG.info("table {} is left out: its topic {} is none of the connector's", collection, topic);
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
