package dev.sluice.connect.settings;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.SettingProperties;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TaskName;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.envelope.UnchangedValue;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** Reads a connector's properties and reports each problem at the property to fix. Stateless. */
public final class SettingsReader {
  private SettingsReader() {}

  /** The settings; empty if there was a problem. */
  public static Optional<ConnectorSettings> read(
      Map<String, String> given, FieldProblems problems) {
    GivenProperties properties = new GivenProperties(given);
    Optional<TaskName> task = taskName(properties, problems);
    Optional<InputTopics> input = InputTopics.read(properties, problems);
    Optional<Endpoint> target = TargetSettings.read(properties, problems);
    Optional<Position> start = start(properties, problems);
    Map<String, Object> kafka = kafka(properties, problems);
    Optional<TaskSettings> settings = taskSettings(properties, problems);
    if (input.isPresent() && input.get().layout() != TopicLayout.JOURNAL) {
      start = start.or(() -> Optional.of(Position.ZERO));
    }
    if (input.isPresent() && input.get().layout() == TopicLayout.TABLES) {
      checkRelaxed(start, settings, problems);
    }
    Optional<TableFormat> table = targetTable(properties, settings, problems);
    if (target.isPresent() && input.isPresent() && table.isPresent()) {
      TargetSettings.checkLimits(target.get(), input.get().layout(), table.get(), problems);
    }
    checkPlaceholder(properties, problems);
    checkHeapShare(properties, problems);
    if (!problems.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ConnectorSettings(
            task.orElseThrow(),
            input.orElseThrow(),
            target.orElseThrow(),
            table.orElseThrow(),
            start,
            kafka,
            settings.orElseThrow(),
            properties));
  }

  private static Optional<TaskName> taskName(GivenProperties properties, FieldProblems problems) {
    String name = properties.text(SinkConnectorProperties.NAME, "");
    String text = properties.text(SinkConnectorProperties.TASK_NAME, name);
    try {
      return Optional.of(new TaskName(text));
    } catch (IllegalArgumentException e) {
      problems.add(
          SinkConnectorProperties.TASK_NAME,
          new Problem(
              SinkConnectorProperties.TASK_NAME,
              e.getMessage(),
              "",
              text.equals(name)
                  ? "The connector's name is none, so set " + SinkConnectorProperties.TASK_NAME
                  : "Choose another name"));
      return Optional.empty();
    }
  }

  private static Optional<TableFormat> targetTable(
      GivenProperties properties, Optional<TaskSettings> settings, FieldProblems problems) {
    String text = properties.text(SinkConnectorProperties.TARGET_TABLE);
    String found = text;
    try {
      Optional<String> schema = settings.flatMap(all -> all.get(TargetMetadata.TARGET_SCHEMA));
      if (schema.isEmpty()) {
        return Optional.of(TableFormat.parse(text));
      }
      if (text.equals(TableFormat.SAME)) {
        return Optional.of(new TableFormat(schema.get(), "${table}"));
      }
      found = text + ", and target.schema is " + schema.get();
    } catch (IllegalArgumentException e) {
      found = text + " " + e.getMessage();
    }
    problems.add(
        SinkConnectorProperties.TARGET_TABLE,
        new Problem(
            SinkConnectorProperties.TARGET_TABLE,
            found,
            "SCHEMA.TABLE with ${table} in it, and ${schema} where it is wanted; or target.schema"
                + " alone",
            "Such as archive.${schema}_${table}"));
    return Optional.empty();
  }

  private static Optional<Position> start(GivenProperties properties, FieldProblems problems) {
    String text = properties.text(SinkConnectorProperties.START_POSITION);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Position.parse(text));
    } catch (IllegalArgumentException e) {
      problems.add(
          SinkConnectorProperties.START_POSITION,
          new Problem(
              SinkConnectorProperties.START_POSITION,
              text,
              "a position in the source's log, such as 16/B374D848",
              "Take the one that pg_create_logical_replication_slot or the load gave"));
      return Optional.empty();
    }
  }

  /** Rejects settings that need an order between partitions. */
  private static void checkRelaxed(
      Optional<Position> start, Optional<TaskSettings> settings, FieldProblems problems) {
    if (start.isPresent() && !start.get().equals(Position.ZERO)) {
      problems.add(
          SinkConnectorProperties.START_POSITION,
          new Problem(
              SinkConnectorProperties.START_POSITION,
              start.get().toString(),
              "none in the layout tables, whose events do not tell where they were committed",
              "Let the topics begin with a snapshot, or use the layout tables-with-transactions"));
    }
    if (settings.isPresent() && ErrorBehavior.maySuspend(settings.get())) {
      problems.add(
          "table.error.policy",
          new Problem(
              SinkConnectorProperties.TOPIC_LAYOUT,
              "an error policy is SUSPEND_TABLE",
              "another one in the layout tables: several tasks may apply one table, and have no"
                  + " place in common from which it would be suspended",
              "Choose STOP_TASK, LOG_ERROR or IGNORE_RECORD"));
    }
  }

  private static Map<String, Object> kafka(GivenProperties properties, FieldProblems problems) {
    Map<String, Object> kafka = new HashMap<>();
    properties
        .all()
        .forEach(
            (name, value) -> {
              if (name.startsWith(SinkConnectorProperties.KAFKA_PREFIX)) {
                kafka.put(name.substring(SinkConnectorProperties.KAFKA_PREFIX.length()), value);
              }
            });
    if (!kafka.containsKey(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG)) {
      problems.add(
          SinkConnectorProperties.KAFKA_SERVERS,
          new Problem(
              SinkConnectorProperties.KAFKA_SERVERS,
              "is missing",
              "host:port of Kafka's servers",
              "Give those that the worker has as bootstrap.servers"));
    }
    return kafka;
  }

  private static void checkPlaceholder(GivenProperties properties, FieldProblems problems) {
    String text = properties.text(SinkConnectorProperties.PLACEHOLDER);
    try {
      new UnchangedValue(text);
    } catch (IllegalArgumentException e) {
      problems.add(
          SinkConnectorProperties.PLACEHOLDER,
          new Problem(
              SinkConnectorProperties.PLACEHOLDER,
              text,
              "pairs of hexadecimal digits after hex:",
              "Give the same as on the source connector"));
    }
  }

  private static void checkHeapShare(GivenProperties properties, FieldProblems problems) {
    String text = properties.text(SinkConnectorProperties.HEAP_SHARE);
    try {
      double share = Double.parseDouble(text);
      if (share > 0 && share <= 1) {
        return;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    problems.add(
        SinkConnectorProperties.HEAP_SHARE,
        new Problem(
            SinkConnectorProperties.HEAP_SHARE,
            text,
            "a part of the heap, above 0 and up to 1",
            ""));
  }

  private static Optional<TaskSettings> taskSettings(
      GivenProperties properties, FieldProblems problems) {
    String file = properties.text(SinkConnectorProperties.SETTINGS_FILE);
    try {
      return Optional.of(
          SettingProperties.read(
              properties.all(), file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file))));
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
        .orElse(file.isEmpty() ? "batch.apply.timeout.max" : SinkConnectorProperties.SETTINGS_FILE);
  }
}
