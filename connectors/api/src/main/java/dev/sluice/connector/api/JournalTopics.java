package dev.sluice.connector.api;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The names of a task's two Kafka topics: the journal with one partition, and the compacted topic
 * of row schemas. Schemas have their fingerprint in hexadecimal as key; the first record names the
 * owner of both topics.
 */
public record JournalTopics(String journal, String schemas) {
  /** Prefix of the key of the record that names the owner. */
  public static final String OWNER_KEY = "task ";

  /** Prefix of the keys of what a source remembers in the schema topic. */
  public static final String NOTE_KEY = "source ";

  /** Whether a key in the schema topic is that of a schema. */
  public static boolean isSchema(byte[] key) {
    return !isOwner(key) && (key == null || !new String(key, UTF_8).startsWith(NOTE_KEY));
  }

  /** Whether a key in the schema topic is that of an owner's record, not of a schema. */
  public static boolean isOwner(byte[] key) {
    return key != null && new String(key, UTF_8).startsWith(OWNER_KEY);
  }

  /**
   * The topic in which a source keeps the history of definitions that it needs beside the journal.
   *
   * @param number distinguishes the attempts of a task
   */
  public String history(long number) {
    return historyPrefix() + number;
  }

  /** Whether a topic is such a one of this task. */
  public boolean isHistory(String topic) {
    return topic.startsWith(historyPrefix())
        && topic.substring(historyPrefix().length()).matches("[0-9]{1,18}");
  }

  /** The number of such a topic. */
  public long historyNumber(String topic) {
    return Long.parseLong(topic.substring(historyPrefix().length()));
  }

  private String historyPrefix() {
    return journal.replaceFirst("\\.journal$", "") + ".history.";
  }

  public static JournalTopics ofTask(String task) {
    return new JournalTopics("sluice." + task + ".journal", "sluice." + task + ".schemas");
  }
}
