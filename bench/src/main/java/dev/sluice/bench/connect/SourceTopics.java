package dev.sluice.bench.connect;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * The topics that Debezium's PostgreSQL connector writes from a source's log: one for each table
 * and one of the transactions, or one for everything. Filled once and read by every compared sink.
 * Owned by the benchmark's thread.
 */
public final class SourceTopics {
  private final ConnectBench bench;
  private final String name;
  private final boolean ordered;
  private final List<String> tables;
  private final RecordConverter converter;
  private boolean filled;
  private long lastEnd;
  private long quietSince;

  private SourceTopics(
      ConnectBench bench,
      String name,
      boolean ordered,
      List<String> tables,
      RecordConverter converter) {
    this.bench = bench;
    this.name = name;
    this.ordered = ordered;
    this.tables = tables;
    this.converter = converter;
  }

  /**
   * A topic of one partition for each table, and one for the transactions.
   *
   * @param name of connector, slot and prefix; in small letters
   * @param tables of the schema public
   */
  public static SourceTopics byTable(
      ConnectBench bench, String name, List<String> tables, RecordConverter converter) {
    return new SourceTopics(bench, name, false, List.copyOf(tables), converter);
  }

  /** One topic of one partition. */
  public static SourceTopics ordered(
      ConnectBench bench, String name, List<String> tables, RecordConverter converter) {
    return new SourceTopics(bench, name, true, List.copyOf(tables), converter);
  }

  /** The slot that it reads; create it before the changes are written. */
  public String slot() {
    return name;
  }

  RecordConverter converter() {
    return converter;
  }

  boolean isOrdered() {
    return ordered;
  }

  /** The topics of the tables, or the only one. */
  List<String> topics() {
    return ordered
        ? List.of(name + ".changes")
        : tables.stream().map(table -> name + ".public." + table).toList();
  }

  String transactionTopic() {
    return name + ".transaction";
  }

  /**
   * Fills the topics from the slot on.
   *
   * @param events minimum number of row events
   */
  public void fill(Database source, long events, Duration limit) throws Exception {
    List<NewTopic> topics = new ArrayList<>();
    topics().forEach(topic -> topics.add(topic(topic)));
    if (!ordered) {
      topics.add(topic(transactionTopic()));
    }
    bench.admin().createTopics(topics).all().get();
    String connector = name + "-source";
    bench.worker().make(connector, properties(source));
    try {
      Waiting.until(
          "Debezium's connector to write " + events + " events",
          limit,
          () -> {
            bench
                .worker()
                .failure(connector)
                .ifPresent(
                    failure -> {
                      throw new IllegalStateException(connector + " failed: " + failure);
                    });
            return rowEvents() >= events && isQuiet();
          });
    } finally {
      bench.worker().delete(connector);
    }
    filled = true;
  }

  boolean isFilled() {
    return filled;
  }

  private static NewTopic topic(String topic) {
    return new NewTopic(topic, 1, (short) 1).configs(Map.of("retention.ms", "-1"));
  }

  /** What was counted first may be the ends of transactions, and the last rows be on the way. */
  private boolean isQuiet() {
    long end = rowEvents();
    if (end != lastEnd) {
      lastEnd = end;
      quietSince = System.nanoTime();
    }
    return System.nanoTime() - quietSince > Duration.ofSeconds(2).toNanos();
  }

  private long rowEvents() {
    return ends(topics()).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The end of each partition of some topics. */
  Map<TopicPartition, Long> ends(List<String> topics) {
    try {
      Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
      for (TopicDescription topic :
          bench.admin().describeTopics(topics).allTopicNames().get().values()) {
        topic
            .partitions()
            .forEach(
                partition ->
                    wanted.put(
                        new TopicPartition(topic.name(), partition.partition()),
                        OffsetSpec.latest()));
      }
      return bench.admin().listOffsets(wanted).all().get().entrySet().stream()
          .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().offset()));
    } catch (ExecutionException e) {
      throw new IllegalStateException("the topics' ends cannot be read: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Map<String, String> properties(Database source) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    properties.put("tasks.max", "1");
    properties.put("database.hostname", "127.0.0.1");
    properties.put("database.port", Integer.toString(source.port()));
    properties.put("database.user", Database.USER);
    properties.put("database.password", "");
    properties.put("database.dbname", source.name());
    properties.put("topic.prefix", name);
    properties.put("plugin.name", "pgoutput");
    properties.put("slot.name", slot());
    properties.put("publication.name", Backlog.PUBLICATION);
    properties.put("publication.autocreate.mode", "disabled");
    properties.put("snapshot.mode", "no_data");
    properties.put("provide.transaction.metadata", "true");
    properties.put("skipped.operations", "none");
    properties.put("tombstones.on.delete", "false");
    properties.put("poll.interval.ms", "50");
    properties.put("max.batch.size", "8192");
    properties.put("max.queue.size", "32768");
    properties.put("producer.override.compression.type", "lz4");
    properties.put("producer.override.batch.size", "262144");
    properties.put("producer.override.linger.ms", "20");
    if (ordered) {
      properties.put("transforms", "route");
      properties.put("transforms.route.type", "org.apache.kafka.connect.transforms.RegexRouter");
      properties.put("transforms.route.regex", ".*");
      properties.put("transforms.route.replacement", topics().get(0));
    }
    properties.putAll(converter.properties());
    return properties;
  }
}
