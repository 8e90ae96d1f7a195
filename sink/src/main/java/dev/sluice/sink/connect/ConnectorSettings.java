package dev.sluice.sink.connect;

import dev.sluice.config.BatchApplyOverrides;
import dev.sluice.config.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.DataSize;
import dev.sluice.config.Endpoint;
import dev.sluice.config.Problem;
import dev.sluice.config.Secret;
import dev.sluice.config.SettingProperties;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.config.TaskName;
import dev.sluice.config.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.ApplySettings;
import dev.sluice.sink.target.TargetServer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * What the user's properties say, checked as far as that takes no server. Immutable; shows no
 * secret.
 *
 * @param task the name of the checkpoint on the target
 * @param topics as they are listed; empty where they are chosen by a regular expression
 * @param start up to where the target holds the source's rows, for a first start
 * @param kafka properties of Kafka's clients
 * @param schemaTopic of the journal; empty in other layouts
 * @param placeholder what stands for a value that is not in the log
 * @param snapshotReplaces whether a snapshot's rows replace those that its table has
 * @param heapShare the part of the worker's heap that counts as this task's
 */
record ConnectorSettings(
    TaskName task,
    TopicLayout layout,
    List<String> topics,
    Endpoint target,
    Optional<Position> start,
    Map<String, Object> kafka,
    Optional<String> schemaTopic,
    TaskSettings taskSettings,
    String placeholder,
    boolean snapshotReplaces,
    double heapShare) {
  private static final String JOURNAL_ENDING = ".journal";

  /** Where swap files go unless the settings say otherwise. */
  private static final Path SWAP = Path.of(System.getProperty("java.io.tmpdir"), "sluice-swap");

  /**
   * Reads the properties.
   *
   * @throws SluiceException.Fatal with every problem
   */
  static ConnectorSettings of(Map<String, String> properties) {
    FieldProblems problems = new FieldProblems();
    Optional<ConnectorSettings> settings = read(properties, problems);
    return settings.orElseThrow(() -> new SluiceException.Fatal(problems.all()));
  }

  /** Reads the properties; empty after a problem. */
  static Optional<ConnectorSettings> read(Map<String, String> properties, FieldProblems problems) {
    Optional<TaskName> task = taskName(properties, problems);
    Optional<TopicLayout> layout = layout(properties, problems);
    List<String> topics = topics(properties);
    layout.ifPresent(known -> checkTasks(known, properties, problems));
    Optional<String> schemaTopic = Optional.empty();
    layout.ifPresent(known -> checkTopics(known, topics, problems));
    if (layout.isPresent() && layout.get() == TopicLayout.JOURNAL) {
      schemaTopic = schemaTopic(properties, topics, problems);
    }
    Optional<Endpoint> target = target(properties, problems);
    Optional<Position> start = start(properties, problems);
    if (start.isEmpty() && layout.isPresent() && layout.get() != TopicLayout.JOURNAL) {
      start = Optional.of(Position.ZERO);
    }
    Map<String, Object> kafka = kafka(properties, problems);
    Optional<TaskSettings> settings = taskSettings(properties, problems);
    double share = heapShare(properties, problems);
    if (!problems.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ConnectorSettings(
            task.orElseThrow(),
            layout.orElseThrow(),
            topics,
            target.orElseThrow(),
            start,
            kafka,
            schemaTopic,
            settings.orElseThrow(),
            given(properties, ConnectorProperties.PLACEHOLDER, "__debezium_unavailable_value"),
            given(properties, ConnectorProperties.SNAPSHOT_ROWS, ConnectorProperties.INSERT)
                .equals(ConnectorProperties.REPLACE),
            share));
  }

  String controlSchema() {
    return taskSettings.controlTablesSettings().controlSchema();
  }

  TargetServer targetServer() {
    return new TargetServer(
        target.jdbcUrl(),
        target.user(),
        target.password().isPresent() ? target.password().reveal() : null,
        "sluice " + task,
        taskSettings.changeProcessingTuning().statementCacheSize());
  }

  SinkSettings sinkSettings() {
    long heap = (long) (Runtime.getRuntime().maxMemory() * heapShare);
    return SinkSettings.of(
        task.text(), taskSettings, SWAP, DataSize.ofBytes(heap), BatchApplyOverrides.NONE);
  }

  ApplySettings applySettings() {
    return new ApplySettings(
        taskSettings.errorBehavior().policies(),
        taskSettings.controlTablesSettings(),
        layout == TopicLayout.JOURNAL
            ? taskSettings.ddlHandlingPolicy()
            // Debezium does not tell of it; its types are not the source's.
            : new ChangeProcessingDdlHandlingPolicy(
                taskSettings.ddlHandlingPolicy().handleSourceTableTruncated(), false, false));
  }

  /** Beside the swap, which the pipeline empties. */
  Path retainedDirectory() {
    return sinkSettings().swapDirectory().resolveSibling(task + ".retained");
  }

  /** What a source table is called on the target. */
  TableId targetOf(TableId source) {
    return taskSettings
        .targetMetadata()
        .targetSchema()
        .map(schema -> new TableId(schema, source.name()))
        .orElse(source);
  }

  private static Optional<TaskName> taskName(
      Map<String, String> properties, FieldProblems problems) {
    String name = given(properties, ConnectorProperties.NAME, "");
    String text = given(properties, ConnectorProperties.TASK_NAME, name);
    try {
      return Optional.of(new TaskName(text));
    } catch (IllegalArgumentException e) {
      problems.add(
          ConnectorProperties.TASK_NAME,
          new Problem(
              ConnectorProperties.TASK_NAME,
              e.getMessage(),
              "",
              text.equals(name)
                  ? "The connector's name is none, so set " + ConnectorProperties.TASK_NAME
                  : "Choose another name"));
      return Optional.empty();
    }
  }

  private static Optional<TopicLayout> layout(
      Map<String, String> properties, FieldProblems problems) {
    String text =
        given(properties, ConnectorProperties.TOPIC_LAYOUT, TopicLayout.JOURNAL.toString());
    Optional<TopicLayout> layout = TopicLayout.of(text);
    if (layout.isEmpty()) {
      problems.add(
          ConnectorProperties.TOPIC_LAYOUT,
          new Problem(
              ConnectorProperties.TOPIC_LAYOUT,
              text,
              "one of: " + String.join(", ", TopicLayout.texts()),
              ""));
    }
    return layout;
  }

  private static List<String> topics(Map<String, String> properties) {
    return Arrays.stream(given(properties, ConnectorProperties.TOPICS, "").split(","))
        .map(String::strip)
        .filter(topic -> !topic.isEmpty())
        .toList();
  }

  private static void checkTasks(
      TopicLayout layout, Map<String, String> properties, FieldProblems problems) {
    String tasks = given(properties, ConnectorProperties.TASKS_MAX, "1");
    if (layout.keepsTransactions() && !tasks.equals("1")) {
      problems.add(
          ConnectorProperties.TASKS_MAX,
          new Problem(
              ConnectorProperties.TASKS_MAX,
              tasks,
              "1 in the layout " + layout,
              "Transactions are applied whole and in the source's commit order, which one task"
                  + " alone can do. Set it to 1"));
    }
  }

  private static void checkTopics(TopicLayout layout, List<String> topics, FieldProblems problems) {
    if (topics.size() != 1) {
      problems.add(
          ConnectorProperties.TOPICS,
          new Problem(
              ConnectorProperties.TOPICS,
              topics.isEmpty() ? "no topic is named" : topics.size() + " topics",
              "one topic in the layout " + layout,
              layout == TopicLayout.JOURNAL
                  ? "Name the journal alone: sluice.TASK.journal"
                  : "Name the topic that all of Debezium's are routed into"));
    }
  }

  private static Optional<String> schemaTopic(
      Map<String, String> properties, List<String> topics, FieldProblems problems) {
    String named = given(properties, ConnectorProperties.SCHEMA_TOPIC, "");
    if (!named.isEmpty()) {
      return Optional.of(named);
    }
    if (topics.size() == 1 && topics.get(0).endsWith(JOURNAL_ENDING)) {
      String journal = topics.get(0);
      return Optional.of(
          journal.substring(0, journal.length() - JOURNAL_ENDING.length()) + ".schemas");
    }
    problems.add(
        ConnectorProperties.SCHEMA_TOPIC,
        new Problem(
            ConnectorProperties.SCHEMA_TOPIC,
            "is missing",
            "the topic of row schemas, since the journal's name does not end in " + JOURNAL_ENDING,
            "Name it"));
    return Optional.empty();
  }

  private static Optional<Endpoint> target(Map<String, String> properties, FieldProblems problems) {
    String password = given(properties, ConnectorProperties.TARGET_PASSWORD, "");
    try {
      return Optional.of(
          Endpoint.parse(
              ConnectorProperties.TARGET_URL,
              given(properties, ConnectorProperties.TARGET_URL, ""),
              password.isEmpty() ? Secret.NONE : Secret.of(password)));
    } catch (SluiceException.Fatal e) {
      problems.add(ConnectorProperties.TARGET_URL, e, "");
      return Optional.empty();
    }
  }

  private static Optional<Position> start(Map<String, String> properties, FieldProblems problems) {
    String text = given(properties, ConnectorProperties.START_POSITION, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Position.parse(text));
    } catch (IllegalArgumentException e) {
      problems.add(
          ConnectorProperties.START_POSITION,
          new Problem(
              ConnectorProperties.START_POSITION,
              text,
              "a position in the source's log, such as 16/B374D848",
              "Take the one that pg_create_logical_replication_slot or the load gave"));
      return Optional.empty();
    }
  }

  private static Map<String, Object> kafka(Map<String, String> properties, FieldProblems problems) {
    Map<String, Object> kafka = new HashMap<>();
    properties.forEach(
        (name, value) -> {
          if (name.startsWith(ConnectorProperties.KAFKA_PREFIX)) {
            kafka.put(name.substring(ConnectorProperties.KAFKA_PREFIX.length()), value);
          }
        });
    if (!kafka.containsKey(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG)) {
      problems.add(
          ConnectorProperties.KAFKA_SERVERS,
          new Problem(
              ConnectorProperties.KAFKA_SERVERS,
              "is missing",
              "host:port of Kafka's servers",
              "Give those that the worker has as bootstrap.servers"));
    }
    return kafka;
  }

  private static double heapShare(Map<String, String> properties, FieldProblems problems) {
    String text = given(properties, ConnectorProperties.HEAP_SHARE, "0.5");
    try {
      double share = Double.parseDouble(text);
      if (share > 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    problems.add(
        ConnectorProperties.HEAP_SHARE,
        new Problem(
            ConnectorProperties.HEAP_SHARE, text, "a part of the heap, above 0 and up to 1", ""));
    return 0;
  }

  private static Optional<TaskSettings> taskSettings(
      Map<String, String> properties, FieldProblems problems) {
    String file = given(properties, ConnectorProperties.SETTINGS_FILE, "");
    try {
      return Optional.of(
          SettingProperties.read(
              properties, file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file))));
    } catch (SluiceException.Fatal e) {
      for (Problem problem : e.problems()) {
        problems.add(propertyOf(problem, file), problem);
      }
      return Optional.empty();
    }
  }

  private static String propertyOf(Problem problem, String file) {
    return SettingProperties.all().stream()
        .map(SettingProperties.Property::name)
        .filter(name -> problem.thing().equals(name))
        .findFirst()
        .orElse(file.isEmpty() ? "batch.apply.timeout.max" : ConnectorProperties.SETTINGS_FILE);
  }

  private static String given(Map<String, String> properties, String name, String otherwise) {
    String value = properties.get(name);
    return value == null || value.isBlank() ? otherwise : value.strip();
  }
}
