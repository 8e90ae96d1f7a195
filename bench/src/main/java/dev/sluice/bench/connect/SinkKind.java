package dev.sluice.bench.connect;

import dev.sluice.bench.peer.JdbcSinkSettings;
import dev.sluice.bench.server.Database;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sink connector that is measured: Debezium's JDBC sink, or Sluice's in one of its layouts.
 * Immutable.
 *
 * @param name as it stands in the table
 * @param layout of Sluice's; empty for Debezium's JDBC sink
 * @param unnest whether Debezium's JDBC sink carries inserts as arrays
 * @param tasks {@code tasks.max}
 * @param roundRobin whether partitions are dealt out one by one rather than topic by topic, which
 *     is Kafka's default
 * @param converted whether Sluice's sink gets what a converter makes of the records, rather than
 *     their bytes
 */
public record SinkKind(
    String name, String layout, boolean unnest, int tasks, boolean roundRobin, boolean converted) {
  private static final String WITH_TRANSACTIONS = "tables-with-transactions";

  /** Debezium's JDBC sink. */
  public static SinkKind jdbc(boolean unnest) {
    return new SinkKind(
        unnest ? "Debezium's JDBC sink, UNNEST" : "Debezium's JDBC sink",
        "",
        unnest,
        1,
        false,
        true);
  }

  /** Sluice's sink in a layout that keeps transactions. */
  public static SinkKind sluice(String layout) {
    return new SinkKind("Sluice, " + layout, layout, false, 1, false, false);
  }

  /** Sluice's sink with the order of each row alone, in several tasks. */
  public static SinkKind sluiceTables(int tasks) {
    return sluiceTables(tasks, true);
  }

  /** The same, with one of two ways to deal out the partitions. */
  public static SinkKind sluiceTables(int tasks, boolean roundRobin) {
    return new SinkKind(
        "Sluice, tables"
            + (tasks == 1 ? "" : ", " + tasks + " tasks")
            + (roundRobin ? "" : ", Kafka's default assignment"),
        "tables",
        false,
        tasks,
        roundRobin,
        false);
  }

  /** The same on topics that another converter has written. */
  public SinkKind on(RecordConverter converter) {
    return new SinkKind(name + ", " + converter, layout, unnest, tasks, roundRobin, converted);
  }

  /** The same behind a converter. */
  public SinkKind behindConverter() {
    return new SinkKind(name + ", behind the converter", layout, unnest, tasks, roundRobin, true);
  }

  private boolean isSluice() {
    return !layout.isEmpty();
  }

  /** The topics that it reads. */
  List<String> topics(SourceTopics source) {
    List<String> topics = new ArrayList<>(source.topics());
    if (layout.equals(WITH_TRANSACTIONS)) {
      topics.add(source.transactionTopic());
    }
    return topics;
  }

  /**
   * The connector's configuration.
   *
   * @param poll records that the worker hands over at once, at most; also the peer's batch.size
   */
  Map<String, String> properties(
      SourceTopics source, List<String> topics, Database target, String servers, int poll) {
    Map<String, String> properties =
        new LinkedHashMap<>(converted ? source.converter().properties() : RecordConverter.bytes());
    properties.put("tasks.max", Integer.toString(tasks));
    properties.put("topics", String.join(",", topics));
    properties.put("consumer.override.max.poll.records", Integer.toString(poll));
    properties.put("consumer.override.max.partition.fetch.bytes", "10485760");
    if (isSluice()) {
      properties.put("connector.class", "dev.sluice.connect.SluiceSinkConnector");
      properties.put("topic.layout", layout);
      if (layout.equals(WITH_TRANSACTIONS)) {
        properties.put("transaction.topic", source.transactionTopic());
      }
      properties.put(
          "target.url",
          "postgresql://" + Database.USER + "@127.0.0.1:" + target.port() + "/" + target.name());
      properties.put("kafka.bootstrap.servers", servers);
      if (roundRobin) {
        // Kafka's default gives the first partition of every topic to one task.
        properties.put(
            "consumer.override.partition.assignment.strategy",
            "org.apache.kafka.clients.consumer.RoundRobinAssignor");
      }
      // The worker commits what is durable; so the benchmark finds the end.
      properties.put("durable.commit.interval", "0.2");
    } else {
      properties.put("connector.class", "io.debezium.connector.jdbc.JdbcSinkConnector");
      properties.put("truncate.enabled", "true");
      properties.putAll(JdbcSinkSettings.of(target, poll, unnest));
    }
    return properties;
  }
}
