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
 * The required settings of the journal's topics: unlimited retention, and records that survive a
 * power failure. Records are replicated if there are enough brokers; else they are written to disk
 * before they are acknowledged. Immutable.
 */
record TopicSettings(short replication) {
  /** Settings that a cluster may refuse: other values cost space or time, but lose no data. */
  static final Set<String> OPTIONAL =
      Set.of("segment.bytes", "file.delete.delay.ms", "unclean.leader.election.enable");

  private static final short BEST_REPLICATION = 3;

  /** A piece of a change, with space for the stamp and the overhead of a batch. */
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
    // Kafka deletes complete segments only, and never the newest: with small segments the disk use
    // stays close to the size of unapplied records.
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
   * The problems of an existing topic.
   *
   * @param setting gives the value of a topic setting; empty if it has none
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
              "1 partition, to keep the order",
              "Only if the task has never run: delete the topic; Sluice creates it again. Otherwise"
                  + " the changes in it may be lost to the target: stop the daemon, request sluice"
                  + " resync, delete the topic, and run again"));
    }
    if (replication < possibleReplication) {
      problems.add(
          new Problem(
              "topic " + topic,
              "replication factor " + replication,
              "replication factor " + possibleReplication,
              "Raise it with kafka-reassign-partitions.sh"));
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
