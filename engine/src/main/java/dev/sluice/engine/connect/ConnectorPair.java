package dev.sluice.engine.connect;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SettingProperties;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.KafkaProperties;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connect.envelope.TopicName;
import dev.sluice.connector.api.source.ConnectProperties;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The two Kafka Connect connectors of a task: Debezium's writes topics, Sluice's applies them.
 * Immutable.
 *
 * @param topic with one partition, to be created before the connectors, if the layout has one
 * @param source the source connector's configuration
 * @param sink the sink connector's configuration
 * @param notes for the user, one line each
 */
public record ConnectorPair(
    Optional<String> topic,
    Map<String, String> source,
    Map<String, String> sink,
    List<String> notes) {
  public ConnectorPair {
    notes = List.copyOf(notes);
  }

  /**
   * The connectors of a task.
   *
   * @param connector the source's properties for its connector
   * @param tables of the source that the task follows
   * @throws SluiceException.Fatal if the task's mappings need more than the connectors can do
   */
  public static ConnectorPair of(
      TaskConfig config,
      ConnectProperties connector,
      ConnectLayout layout,
      ConnectConverter converter,
      List<CatalogTable> tables) {
    requirePlainMapping(config);
    Optional<String> topic =
        layout == ConnectLayout.ORDERED
            ? Optional.of(prefix(config) + ".changes")
            : Optional.empty();
    List<String> notes = new ArrayList<>(notesOf(layout));
    notes.add(
        "The passwords are references; the workers need config.providers=env and"
            + " config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider");
    notes.addAll(connector.notes(tables));
    Map<String, String> source = source(config, connector, topic, tables);
    source.putAll(converter.ofSource());
    Map<String, String> sink = sink(config, layout, topic, tables);
    sink.putAll(ConnectConverter.ofSink());
    return new ConnectorPair(topic, source, sink, notes);
  }

  /** The user's steps before the connectors are created, one line each. */
  public List<String> firstSteps() {
    return topic
        .map(
            name ->
                List.of(
                    "Create the topic first, with one partition and unlimited retention:"
                        + " kafka-topics.sh --create --topic "
                        + name
                        + " --partitions 1 --config retention.ms=-1"))
        .orElse(List.of());
  }

  private static List<String> notesOf(ConnectLayout layout) {
    switch (layout) {
      case ORDERED:
        return List.of();
      case TABLES_WITH_TRANSACTIONS:
        return List.of(
            "A table's topic may have several partitions; the transaction topic must have one");
      case TABLES:
        return List.of(
            "Transactions are not kept in this layout: the target may show parts of them. Use"
                + " --layout tables-with-transactions if that matters",
            "For several tasks raise tasks.max, and topic.creation.default.partitions to split a"
                + " table among them; a table that is truncated, or has no key, needs a topic with"
                + " one partition");
      default:
        throw new IllegalStateException("BUG: no notes for " + layout);
    }
  }

  private static String prefix(TaskConfig config) {
    return "sluice." + config.task();
  }

  private static String topicOf(TaskConfig config, TableId table) {
    return TopicName.of(prefix(config) + ".", table.schema() + "." + table.name());
  }

  /** Refuses mappings that the connectors cannot do: they support selected tables only. */
  private static void requirePlainMapping(TaskConfig config) {
    List<Problem> problems = new ArrayList<>();
    if (config.tableMappings().filters()) {
      problems.add(unknown("filters: " + config.tableMappings().selection()));
    }
    if (config.tableMappings().includesViews()) {
      problems.add(unknown("views: " + config.tableMappings().selection()));
    }
    if (config.tableMappings().transforms()) {
      problems.add(unknown("transformations: " + config.tableMappings().transformations()));
    }
    if (config.tableMappings().lobLimits().cuts()) {
      problems.add(
          new Problem(
              "TargetMetadata.LimitedSizeLobMode, lob-settings",
              "values are to be truncated",
              "complete values, since the connectors copy them unchanged",
              "Use sluice run for the task, or set LimitedSizeLobMode to false"));
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private static Problem unknown(String rules) {
    return new Problem(
        "table-mappings",
        "the rules have " + rules,
        "selection rules of tables without filters, since the connectors would copy all rows and"
            + " names unchanged, and no views",
        "Use sluice run for the task, or remove these rules");
  }

  private static Map<String, String> source(
      TaskConfig config,
      ConnectProperties connector,
      Optional<String> topic,
      List<CatalogTable> tables) {
    Map<String, String> ofDatabase =
        connector.of(prefix(config), tables, config.migrationType().loads());
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("name", config.task() + "-source");
    properties.put("connector.class", ofDatabase.get("connector.class"));
    properties.put("tasks.max", "1");
    properties.putAll(ofDatabase);
    if (topic.isPresent()) {
      properties.put("transforms", "route");
      properties.put("transforms.route.type", "org.apache.kafka.connect.transforms.RegexRouter");
      properties.put("transforms.route.regex", ".*");
      properties.put("transforms.route.replacement", topic.get());
    } else {
      properties.put("topic.creation.default.partitions", "1");
      properties.put("topic.creation.default.replication.factor", "-1");
      properties.put("topic.creation.default.cleanup.policy", "delete");
      properties.put("topic.creation.default.retention.ms", "-1");
    }
    return properties;
  }

  private static Map<String, String> sink(
      TaskConfig config, ConnectLayout layout, Optional<String> topic, List<CatalogTable> tables) {
    Endpoint endpoint = config.target();
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("name", config.task() + "-sink");
    properties.put("connector.class", "dev.sluice.connect.SluiceSinkConnector");
    properties.put("tasks.max", "1");
    properties.put(
        "topics",
        topic.orElseGet(
            () ->
                tables.stream()
                    .map(table -> topicOf(config, table.table()))
                    .collect(Collectors.joining(","))));
    properties.put("topic.layout", layout.toString());
    if (layout == ConnectLayout.TABLES_WITH_TRANSACTIONS) {
      String transactions = prefix(config) + ".transaction";
      properties.merge("topics", transactions, (others, more) -> others + "," + more);
      properties.put("transaction.topic", transactions);
    }
    if (topic.isEmpty()) {
      // A table's topic is created with its first row, so new topics must be found soon.
      properties.put("consumer.override.metadata.max.age.ms", "10000");
    }
    if (layout == ConnectLayout.TABLES) {
      // With Kafka's default one task would get the first partition of every topic.
      properties.put(
          "consumer.override.partition.assignment.strategy",
          "org.apache.kafka.clients.consumer.RoundRobinAssignor");
    }
    properties.put("task.name", config.task().text());
    if (!endpoint.type().equals(Endpoint.POSTGRESQL)) {
      properties.put("target.type", endpoint.type());
    }
    properties.put("target.url", endpoint.type() + urlOf(endpoint));
    properties.put("target.password", "${env:TARGET_PASSWORD}");
    properties.put(
        "kafka.bootstrap.servers",
        config.kafka().map(KafkaProperties::bootstrapServers).orElse("localhost:9092"));
    properties.putAll(SettingProperties.of(config.taskSettings()));
    return properties;
  }

  private static String urlOf(Endpoint endpoint) {
    String jdbc = endpoint.jdbcUrl();
    String address = jdbc.substring(jdbc.indexOf("://") + 3);
    return "://" + endpoint.user() + "@" + address;
  }
}
