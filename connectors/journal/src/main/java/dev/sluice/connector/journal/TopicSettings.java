package dev.sluice.connector.journal;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.JournalRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * How the journal's topics are to be: unlimited retention, and records that survive a power cut:
 * replicated where there are brokers for it, else written to disk before they are acknowledged.
 * Immutable.
 */
record TopicSettings(short replication) {
  /** What a cluster may decide otherwise: it costs room or time, and loses nothing. */
  static final Set<String> OPTIONAL =
      Set.of("segment.bytes", "file.delete.delay.ms", "unclean.leader.election.enable");

  private static final short BEST_REPLICATION = 3;

  /** A piece of a change, with room for the stamp and for what a batch adds. */
  private static final int MESSAGE_BYTES = JournalRecord.PIECE_BYTES * 2;

  private static final int SEGMENT_BYTES = 32 * 1024 * 1024;

  static TopicSettings forBrokers(int brokers) {
    return new TopicSettings((short) Math.min(BEST_REPLICATION, brokers));
  }

  Map<String, String> journal() {
    Map<String, String> settings = common();
    settings.put("cleanup.policy", "delete");
    settings.put("retention.ms", "-1");
    settings.put("retention.bytes", "-1");
    // Only whole segments are deleted, and the newest never: small ones keep the disk use near to
    // what is not applied yet.
    settings.put("segment.bytes", Integer.toString(SEGMENT_BYTES));
    settings.put("file.delete.delay.ms", "1000");
    return settings;
  }

  Map<String, String> schemas() {
    Map<String, String> settings = common();
    settings.put("cleanup.policy", "compact");
    return settings;
  }

  private Map<String, String> common() {
    Map<String, String> settings = new HashMap<>();
    settings.put("max.message.bytes", Integer.toString(MESSAGE_BYTES));
    settings.put("unclean.leader.election.enable", "false");
    if (replication == 1) {
      settings.put("flush.messages", "1");
    }
    if (replication == BEST_REPLICATION) {
      settings.put("min.insync.replicas", "2");
    }
    return settings;
  }

  /**
   * What is wrong with a topic that exists.
   *
   * @param setting the value of a setting of the topic; empty where it has none
   */
  static List<Problem> problems(
      String topic,
      boolean compacted,
      int partitions,
      int replication,
      int possibleReplication,
      UnaryOperator<String> setting) {
    List<Problem> problems = new ArrayList<>();
    if (partitions != 1) {
      problems.add(
          new Problem(
              "topic " + topic,
              partitions + " partitions",
              "1 partition, which keeps the order",
              "Delete the topic; Sluice creates it again"));
    }
    if (replication < possibleReplication) {
      problems.add(
          new Problem(
              "topic " + topic,
              "replication factor " + replication,
              "replication factor " + possibleReplication,
              "Raise it by kafka-reassign-partitions.sh"));
    }
    require(problems, topic, "cleanup.policy", compacted ? "compact" : "delete", setting);
    if (!compacted) {
      require(problems, topic, "retention.ms", "-1", setting);
      require(problems, topic, "retention.bytes", "-1", setting);
    }
    require(problems, topic, "unclean.leader.election.enable", "false", setting);
    if (replication == 1) {
      require(problems, topic, "flush.messages", "1", setting);
    } else if (replication >= BEST_REPLICATION
        && number(setting.apply("min.insync.replicas")) < 2) {
      require(problems, topic, "min.insync.replicas", "2", setting);
    }
    if (number(setting.apply("max.message.bytes")) < MESSAGE_BYTES) {
      require(problems, topic, "max.message.bytes", Integer.toString(MESSAGE_BYTES), setting);
    }
    return problems;
  }

  private static void require(
      List<Problem> problems,
      String topic,
      String name,
      String value,
      UnaryOperator<String> setting) {
    String found = setting.apply(name);
    if (!value.equals(found)) {
      problems.add(
          new Problem(
              "topic " + topic,
              name + " = " + found,
              name + " = " + value,
              "Run: kafka-configs.sh --alter --topic %s --add-config %s=%s"
                  .formatted(topic, name, value)));
    }
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
