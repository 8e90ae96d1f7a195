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
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * What the user's properties say, checked as far as that takes no server. Immutable; shows no
 * secret.
 *
 * @param task the name of the checkpoint on the target
 * @param topics as they are listed; empty where they are chosen by a regular expression
 * @param topicsPattern that expression
 * @param transactionTopic where the layout has one
 * @param taskNumber which of the connector's tasks this is; empty where there is one at the most
 * @param start up to where the target holds the source's rows, for a first start
 * @param kafka properties of Kafka's clients
 * @param schemaTopic of the journal; empty in other layouts
 * @param placeholder what stands for a value that is not in the log
 * @param sourceDecimals the source connector's decimal.handling.mode; empty where not told
 * @param sourceBinaries its binary.handling.mode; empty where not told
 * @param snapshotReplaces whether a snapshot's rows replace those that its table has
 * @param heapShare the part of the worker's heap that counts as this task's
 */
record ConnectorSettings(
    TaskName task,
    TopicLayout layout,
    List<String> topics,
    Optional<Pattern> topicsPattern,
    Optional<String> transactionTopic,
    Optional<String> taskNumber,
    Endpoint target,
    Optional<Position> start,
    Map<String, Object> kafka,
    Optional<String> schemaTopic,
    TaskSettings taskSettings,
    String placeholder,
    String sourceDecimals,
    String sourceBinaries,
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
    Optional<Pattern> pattern = topicsPattern(properties, problems);
    layout.ifPresent(known -> checkTopics(known, topics, pattern, problems));
    Optional<String> transactionTopic = Optional.empty();
    if (layout.isPresent() && layout.get() == TopicLayout.TABLES_WITH_TRANSACTIONS) {
      transactionTopic = transactionTopic(properties, topics, pattern, problems);
    }
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
    if (layout.isPresent() && layout.get() == TopicLayout.TABLES) {
      checkRelaxed(start, settings, problems);
    }
    double share = heapShare(properties, problems);
    if (!problems.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ConnectorSettings(
            task.orElseThrow(),
            layout.orElseThrow(),
            topics,
            pattern,
            transactionTopic,
            Optional.ofNullable(properties.get(ConnectorProperties.TASK_NUMBER)),
            target.orElseThrow(),
            start,
            kafka,
            schemaTopic,
            settings.orElseThrow(),
            given(properties, ConnectorProperties.PLACEHOLDER, "__debezium_unavailable_value"),
            given(properties, ConnectorProperties.SOURCE_DECIMALS, ""),
            given(properties, ConnectorProperties.SOURCE_BINARIES, ""),
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
        taskNumber.map(number -> task + "-" + number).orElse(task.text()),
        taskSettings,
        SWAP,
        DataSize.ofBytes(heap),
        BatchApplyOverrides.NONE);
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
    return besideSwap(".retained");
  }

  /** For the events of a transaction that is gathered from several topics. */
  Path gatheredDirectory() {
    return besideSwap(".gathered");
  }

  /** What may wait in memory until transactions are whole, and again for one of them, in bytes. */
  long joinMemory() {
    return Math.max(1024 * 1024, sinkSettings().effectiveMemoryLimitTotal().bytes() / 2);
  }

  /** Whether a topic is one of the connector's. */
  boolean reads(String topic) {
    return topics.contains(topic)
        || topicsPattern.isPresent() && topicsPattern.get().matcher(topic).matches();
  }

  private Path besideSwap(String ending) {
    Path swap = sinkSettings().swapDirectory();
    return swap.resolveSibling(swap.getFileName() + ending);
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

  private static Optional<Pattern> topicsPattern(
      Map<String, String> properties, FieldProblems problems) {
    String text = given(properties, ConnectorProperties.TOPICS_REGEX, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Pattern.compile(text));
    } catch (PatternSyntaxException e) {
      problems.add(
          ConnectorProperties.TOPICS_REGEX,
          new Problem(
              ConnectorProperties.TOPICS_REGEX,
              text,
              "a regular expression of Java: " + e.getDescription(),
              ""));
      return Optional.empty();
    }
  }

  private static void checkTopics(
      TopicLayout layout, List<String> topics, Optional<Pattern> pattern, FieldProblems problems) {
    if (layout.isOneTopic() && (topics.size() != 1 || pattern.isPresent())) {
      problems.add(
          ConnectorProperties.TOPICS,
          new Problem(
              ConnectorProperties.TOPICS,
              topics.isEmpty() ? "no topic is named" : topics.size() + " topics",
              "one topic in the layout " + layout,
              layout == TopicLayout.JOURNAL
                  ? "Name the journal alone: sluice.TASK.journal"
                  : "Name the topic that all of Debezium's are routed into"));
    } else if (topics.isEmpty() && pattern.isEmpty()) {
      problems.add(
          ConnectorProperties.TOPICS,
          new Problem(
              ConnectorProperties.TOPICS,
              "no topic is named",
              "the topics of the tables",
              "Name them in topics, or give topics.regex"));
    }
  }

  private static Optional<String> transactionTopic(
      Map<String, String> properties,
      List<String> topics,
      Optional<Pattern> pattern,
      FieldProblems problems) {
    String named = given(properties, ConnectorProperties.TRANSACTION_TOPIC, "");
    List<String> found =
        named.isEmpty()
            ? topics.stream().filter(topic -> topic.endsWith(".transaction")).toList()
            : List.of(named);
    boolean isRead =
        found.size() == 1
            && (topics.contains(found.get(0))
                || pattern.isPresent() && pattern.get().matcher(found.get(0)).matches());
    if (isRead && found.get(0).indexOf('.') > 0) {
      return Optional.of(found.get(0));
    }
    problems.add(
        ConnectorProperties.TRANSACTION_TOPIC,
        new Problem(
            ConnectorProperties.TRANSACTION_TOPIC,
            found.size() > 1 ? "several topics: " + found : named.isEmpty() ? "no topic" : named,
            "Debezium's topic of transactions, prefix.transaction, which is one of the connector's"
                + " topics",
            "Name it here, and among the topics"));
    return Optional.empty();
  }

  /** What takes an order that partitions have not. */
  private static void checkRelaxed(
      Optional<Position> start, Optional<TaskSettings> settings, FieldProblems problems) {
    if (start.isPresent() && !start.get().equals(Position.ZERO)) {
      problems.add(
          ConnectorProperties.START_POSITION,
          new Problem(
              ConnectorProperties.START_POSITION,
              start.get().toString(),
              "none in the layout tables, whose events do not tell where they were committed",
              "Let the topics begin with a snapshot, or use the layout tables-with-transactions"));
    }
    if (settings.isPresent() && settings.get().errorBehavior().policies().maySuspend()) {
      problems.add(
          "table.error.policy",
          new Problem(
              ConnectorProperties.TOPIC_LAYOUT,
              "an error policy is SUSPEND_TABLE",
              "another one in the layout tables: several tasks may apply one table, and have no"
                  + " place in common from which it would be suspended",
              "Choose STOP_TASK, LOG_ERROR or IGNORE_RECORD"));
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
