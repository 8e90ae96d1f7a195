package dev.sluice.connector.api;

/**
 * The two Kafka topics of a task: the ordered journal of one partition, and the compacted topic of
 * row schemas, keyed by fingerprint in hexadecimal.
 */
public record JournalTopics(String journal, String schemas) {
  public static JournalTopics ofTask(String task) {
    return new JournalTopics("sluice." + task + ".journal", "sluice." + task + ".schemas");
  }
}
