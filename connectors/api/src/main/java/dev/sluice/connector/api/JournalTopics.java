package dev.sluice.connector.api;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The two Kafka topics of a task: the ordered journal of one partition, and the compacted topic of
 * row schemas, keyed by fingerprint in hexadecimal, whose first record says whose both are.
 */
public record JournalTopics(String journal, String schemas) {
  /** With it begins the key of the record that says whose the topics are. */
  public static final String OWNER_KEY = "task ";

  /** Whether a record of the topic of schemas is no schema, by its key. */
  public static boolean isOwner(byte[] key) {
    return key != null && new String(key, UTF_8).startsWith(OWNER_KEY);
  }

  public static JournalTopics ofTask(String task) {
    return new JournalTopics("sluice." + task + ".journal", "sluice." + task + ".schemas");
  }
}
