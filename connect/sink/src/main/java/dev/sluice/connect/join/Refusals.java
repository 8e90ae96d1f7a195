package dev.sluice.connect.join;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import org.apache.kafka.common.TopicPartition;

/** Creates the errors of topics from which transactions cannot be assembled. Stateless. */
final class Refusals {
  private Refusals() {}

  static SluiceException.Fatal misplaced(
      TopicPartition partition, long offset, String found, String expected) {
    return new SluiceException.Fatal(
        new Problem(
            place(partition, offset),
            found,
            "this in " + expected,
            "Leave Debezium's routing as it is, and name its transaction topic in"
                + " transaction.topic"));
  }

  static SluiceException.Fatal withoutTransaction(TopicPartition partition, long offset) {
    return new SluiceException.Fatal(
        new Problem(
            place(partition, offset),
            "an event without its transaction",
            "events with their transaction, and its end",
            "Set provide.transaction.metadata=true on the source connector"));
  }

  /**
   * The error of a table that was added later than the others: its events were never read, so they
   * are no repetitions.
   */
  static SluiceException.Fatal lateTable(PartitionQueue queue) {
    return new SluiceException.Fatal(
        new Problem(
            place(queue),
            "an event of transaction %s, which was applied without this table"
                .formatted(queue.head().membership().xid()),
            "a table from its first change on",
            "A table that is added later needs its rows: add it under another task.name, whose"
                + " source connector begins with a snapshot of it"));
  }

  /**
   * @param transactionTopic where the end is missing
   * @param later a transaction whose end is there
   */
  static SluiceException.Fatal endless(
      PartitionQueue queue, String transactionTopic, CompletedTransaction later) {
    return new SluiceException.Fatal(
        new Problem(
            place(queue),
            "an event of transaction %s, which has no end before that of transaction %s at %s"
                .formatted(queue.head().membership().xid(), later.xid(), later.position()),
            "the ends of all transactions in " + transactionTopic,
            "Ends are missing from that topic: load the tables again"));
  }

  /**
   * @param collection the collection whose number of events differs from the end's
   * @param topic the topic of the collection
   * @param why why it cannot become complete any more
   */
  static SluiceException.Fatal incomplete(
      GatheredTransaction transaction, String collection, String topic, String why) {
    return new SluiceException.Fatal(
        new Problem(
            "transaction %s, which ends at %s".formatted(transaction.xid(), transaction.position()),
            "%d events of %s; %s".formatted(transaction.seen(collection), collection, why),
            "%d events of %s".formatted(transaction.expected(collection), collection),
            "Nothing of it was applied. Events are missing from the topic "
                + topic
                + " (retention, compaction, a filter): load the tables again"));
  }

  private static String place(PartitionQueue queue) {
    return place(queue.partition(), queue.head().offset());
  }

  private static String place(TopicPartition partition, long offset) {
    return "%s, offset %d".formatted(partition, offset);
  }
}
