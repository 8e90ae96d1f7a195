package dev.sluice.config.task;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.References;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.mappings.TableMappingsReader;
import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.settings.TaskSettingsReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the document of one task file says, together with the files that it names. Made by {@link
 * TaskFile} for one reading, in one thread.
 */
final class TaskDocument {
  private static final String OVERWRITE = "overwrite-target-rows";
  private static final String RUN_CODE = "run-source-code";

  /** The keys that an import ignores. */
  private static final List<String> REPLICATION_KEYS =
      List.of(
          "migration-type",
          "source",
          "kafka",
          "http",
          ExternalOrigin.KEY,
          "cdc-start-position",
          "cdc-stop-position",
          "table-mappings",
          OVERWRITE,
          RUN_CODE,
          "cutover",
          FallbackSection.KEY);

  private final Path folder;
  private final Map<String, String> environment;
  private final References references;
  private final Problems problems;

  /** The task file first. */
  private final List<Path> files = new ArrayList<>();

  TaskDocument(Path file, Map<String, String> environment, Problems problems) {
    this.folder = file.toAbsolutePath().getParent();
    this.environment = environment;
    this.files.add(file);
    this.references = new References(folder, environment, problems);
    this.problems = problems;
  }

  Optional<TaskConfig> read(Node.Mapping document) {
    Fields fields = fields(document);
    Optional<TaskName> task = TaskKeys.task(fields);
    Optional<MigrationType> type = TaskKeys.migrationType(fields);
    EndpointSections endpoints = new EndpointSections(this::fields);
    Optional<SourceConfig> source = endpoints.source(fields, task);
    Optional<Endpoint> target = endpoints.target(fields);
    Optional<KafkaProperties> kafka = kafka(fields);
    Path dataDir = dataDir(fields, task);
    HttpAddress http = TaskKeys.http(fields);
    List<ExternalOrigin> origins = ExternalOrigin.read(fields);
    Optional<CdcStart> start = TaskKeys.cdcStart(fields, type, endpoints.sourceType(), source);
    Optional<CdcStop> cdcStop = TaskKeys.cdcStop(fields, type, endpoints.sourceType());
    TaskSettings settings = taskSettings(fields);
    TaskKeys.requireLoadIfValidationOnly(fields, type, settings);
    Optional<TableMappings> mappings = tableMappings(fields, settings);
    boolean overwrite = fields.toggle(OVERWRITE);
    boolean runsCode = fields.toggle(RUN_CODE);
    importSection(fields, settings);
    CutoverConfig cutover = new CutoverSection(this::fields, folder, problems).read(fields);
    Optional<FallbackConfig> fallback =
        new FallbackSection(this::fields, folder, problems).read(fields, target, dataDir, http);
    TaskKeys.requireFallbackForLoopback(fields, settings);
    fields.refuseOthers();
    if (task.isEmpty()
        || type.isEmpty()
        || source.isEmpty()
        || target.isEmpty()
        || mappings.isEmpty()) {
      return Optional.empty();
    }
    TaskConfig config =
        new TaskConfig(
            task.get(),
            type.get(),
            source.get(),
            target.get(),
            kafka,
            dataDir,
            http,
            origins,
            start,
            cdcStop,
            mappings.get(),
            settings,
            overwrite,
            runsCode,
            cutover,
            fallback,
            Optional.empty(),
            new TaskFiles(files.get(0), files, environment));
    if (fallback.isPresent()) {
      ReversedTask.problems(config)
          .forEach(
              problem ->
                  problems.add(
                      fields.placeOf(FallbackSection.KEY),
                      problem.thing() + ": " + problem.found(),
                      problem.expected(),
                      problem.fix()));
    }
    return Optional.of(config);
  }

  Optional<ImportConfig> readImport(Node.Mapping document) {
    Fields fields = fields(document);
    Optional<TaskName> task = TaskKeys.task(fields);
    Optional<Endpoint> target = new EndpointSections(this::fields).target(fields);
    Path dataDir = dataDir(fields, task);
    TaskSettings settings = taskSettings(fields);
    List<FileMapping> files = importSection(fields, settings);
    REPLICATION_KEYS.forEach(fields::take);
    fields.refuseOthers();
    if (task.isEmpty() || target.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new ImportConfig(task.get(), target.get(), dataDir, settings, files));
  }

  Optional<TaskHome> readHome(Node.Mapping document) {
    Fields fields = fields(document);
    Optional<TaskName> task = TaskKeys.task(fields);
    Path dataDir = dataDir(fields, task);
    REPLICATION_KEYS.forEach(fields::take);
    List.of("target", "task-settings", "import").forEach(fields::take);
    fields.refuseOthers();
    return task.map(name -> new TaskHome(name, dataDir));
  }

  /** The directory of the way back; empty without a section of it. */
  Optional<Path> fallbackDataDir(Node.Mapping document, Path forward) {
    return new FallbackSection(this::fields, folder, problems).dataDir(fields(document), forward);
  }

  TaskSettings taskSettings(Node.Mapping document) {
    return taskSettings(fields(document));
  }

  private List<FileMapping> importSection(Fields fields, TaskSettings settings) {
    return new ImportSection(this::fields, settings, problems).read(fields);
  }

  private Path dataDir(Fields fields, Optional<TaskName> task) {
    return TaskKeys.path(fields, "data-dir", folder)
        .orElseGet(() -> folder.resolve("data/" + task.orElse(null)))
        .normalize();
  }

  private Optional<KafkaProperties> kafka(Fields fields) {
    return fields
        .mapping("kafka")
        .map(
            mapping -> {
              Fields kafka = fields(mapping);
              Map<String, String> properties = new HashMap<>();
              for (Node.Entry entry : mapping.entries()) {
                kafka.text(entry.key()).ifPresent(value -> properties.put(entry.key(), value));
              }
              kafka.require(
                  KafkaProperties.BOOTSTRAP_SERVERS,
                  "the brokers of your cluster, such as broker1:9092",
                  "Add it, or remove kafka: to run an embedded broker in the daemon");
              return new KafkaProperties(properties);
            });
  }

  private TaskSettings taskSettings(Fields fields) {
    return fields
        .take("task-settings")
        .flatMap(node -> document(fields, node, "task-settings"))
        .map(node -> TaskSettingsReader.read(node, problems))
        .orElse(TaskSettings.DEFAULTS);
  }

  private Optional<TableMappings> tableMappings(Fields fields, TaskSettings settings) {
    return fields
        .require(
            "table-mappings",
            "DMS's selection rules, or the name of a file with them",
            "Add it; for every table of schema public: {rules: [{rule-type: selection, rule-id:"
                + " 1, rule-name: all, rule-action: include, object-locator: {schema-name: public,"
                + " table-name: \"%\"}}]}")
        .flatMap(node -> document(fields, node, "table-mappings"))
        .map(
            node ->
                TableMappingsReader.read(node, settings.get(TargetMetadata.TARGET_SCHEMA), problems)
                    .cutAt(TargetMetadata.lobLimit(settings))
                    .withControlSchema(settings.controlSchema()));
  }

  /** The document of the key: the object in the task file, or the file that it names. */
  private Optional<Node> document(Fields fields, Node node, String key) {
    if (node instanceof Node.Mapping) {
      return Optional.of(node);
    }
    Optional<String> text = fields.textOf(node);
    if (text.isPresent() && text.get().stripLeading().startsWith("{")) {
      problems.add(
          node.place(),
          "a text with JSON in it",
          "the name of a file, or an object",
          "Write the JSON without quotes and without | after \"" + key + ":\"");
      return Optional.empty();
    }
    return text.isEmpty()
        ? Optional.empty()
        : TaskKeys.path(fields, key, folder)
            .flatMap(
                file -> {
                  files.add(file);
                  return DocumentReader.read(file, problems);
                });
  }

  private Fields fields(Node.Mapping mapping) {
    return new Fields(mapping, problems, references::resolve);
  }
}
