package dev.sluice.config.task;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.References;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.mappings.TableMappingsReader;
import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.settings.TaskSettingsReader;
import dev.sluice.config.settings.ValidationSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a task file and the files that it names. Paths are relative to the task file. Used for one
 * file, by one thread.
 */
public final class TaskFile {

  private static final List<String> MIGRATION_TYPES =
      Arrays.stream(MigrationType.values()).map(MigrationType::toString).toList();

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

  private TaskFile(Path file, Map<String, String> environment, Problems problems) {
    this.folder = file.toAbsolutePath().getParent();
    this.environment = environment;
    this.files.add(file);
    this.references = new References(folder, environment, problems);
    this.problems = problems;
  }

  /**
   * Reads a task file with the environment of this process.
   *
   * @throws SluiceException.Fatal with all problems of all its files
   */
  public static TaskConfig read(Path file) {
    return read(file, System.getenv());
  }

  /**
   * Reads a task file.
   *
   * @param environment values of {@code ${env:NAME}}
   * @throws SluiceException.Fatal with all problems of all its files
   */
  public static TaskConfig read(Path file, Map<String, String> environment) {
    Problems problems = new Problems();
    Optional<TaskConfig> config =
        DocumentReader.readYaml(file, problems)
            .flatMap(document -> Fields.mappingOf(document, problems))
            .flatMap(document -> new TaskFile(file, environment, problems).read(document));
    problems.throwIfAny();
    return config.orElseThrow(
        () -> new IllegalStateException("BUG: no task and no problem in " + file));
  }

  /**
   * The problems of a text that is to become a task file; empty if it can be read as one.
   *
   * @param file the name that it will have; it need not be there
   * @param environment values of {@code ${env:NAME}}
   */
  public static List<Problem> problemsOf(Path file, String text, Map<String, String> environment) {
    Problems problems = new Problems();
    DocumentReader.yaml(file.toString(), text, problems)
        .flatMap(document -> Fields.mappingOf(document, problems))
        .ifPresent(document -> new TaskFile(file, environment, problems).read(document));
    return problems.all();
  }

  /**
   * Reads a task file, and makes of it the task of the way back.
   *
   * @throws SluiceException.Fatal with all problems of all its files, or if it has no section
   *     fallback
   */
  public static TaskConfig readFallback(Path file) {
    return readFallback(file, System.getenv());
  }

  /** The same with values of {@code ${env:NAME}}. */
  public static TaskConfig readFallback(Path file, Map<String, String> environment) {
    TaskConfig forward = read(file, environment);
    if (forward.fallback().isEmpty()) {
      throw noFallback(file);
    }
    return forward.reversed();
  }

  private static SluiceException noFallback(Path file) {
    return new SluiceException.Fatal(
        new Problem(
            "task file " + file,
            "has no section fallback",
            "one, with the role that applies the way back on the old source",
            "Add fallback: {user: …, password: …}, or leave --fallback out"));
  }

  /**
   * Reads the configuration of an import. A task name and a target are required; keys for
   * replication are ignored.
   *
   * @throws SluiceException.Fatal with all problems of all its files
   */
  public static ImportConfig readImport(Path file) {
    return readImport(file, System.getenv());
  }

  static ImportConfig readImport(Path file, Map<String, String> environment) {
    Problems problems = new Problems();
    Optional<ImportConfig> config =
        DocumentReader.readYaml(file, problems)
            .flatMap(document -> Fields.mappingOf(document, problems))
            .flatMap(document -> new TaskFile(file, environment, problems).readImport(document));
    problems.throwIfAny();
    return config.orElseThrow(
        () -> new IllegalStateException("BUG: no import and no problem in " + file));
  }

  /**
   * Reads the task's name and directory only, for commands to its daemon. Nothing else is checked
   * and no other reference is resolved, so these commands need no password.
   *
   * @throws SluiceException.Fatal with all problems of these keys
   */
  public static TaskHome readHome(Path file) {
    Problems problems = new Problems();
    Optional<TaskHome> home =
        DocumentReader.readYaml(file, problems)
            .flatMap(document -> Fields.mappingOf(document, problems))
            .flatMap(document -> new TaskFile(file, System.getenv(), problems).readHome(document));
    problems.throwIfAny();
    return home.orElseThrow(
        () -> new IllegalStateException("BUG: no task and no problem in " + file));
  }

  /**
   * The same of the daemon of the way back.
   *
   * @throws SluiceException.Fatal with all problems of these keys, or if there is no section
   *     fallback
   */
  public static TaskHome readFallbackHome(Path file) {
    TaskHome forward = readHome(file);
    Problems problems = new Problems();
    Optional<Path> dataDir =
        DocumentReader.readYaml(file, problems)
            .flatMap(document -> Fields.mappingOf(document, problems))
            .flatMap(
                document -> {
                  TaskFile read = new TaskFile(file, System.getenv(), problems);
                  return new FallbackSection(read::fields, read.folder, problems)
                      .dataDir(read.fields(document), forward.dataDir());
                });
    problems.throwIfAny();
    Optional<TaskName> name = ReversedTask.name(forward.task());
    if (dataDir.isEmpty() || name.isEmpty()) {
      throw noFallback(file);
    }
    return new TaskHome(name.get(), dataDir.get());
  }

  /**
   * Whether the settings of a task file say ValidationOnly, as far as they can be read. Reports no
   * problem and needs no password.
   */
  public static boolean isValidationOnly(Path file) {
    Problems ignored = new Problems();
    return DocumentReader.readYaml(file, ignored)
        .flatMap(document -> Fields.mappingOf(document, ignored))
        .map(
            document -> {
              TaskFile read = new TaskFile(file, System.getenv(), ignored);
              return read.taskSettings(read.fields(document))
                  .get(ValidationSettings.VALIDATION_ONLY);
            })
        .orElse(false);
  }

  private Optional<TaskHome> readHome(Node.Mapping document) {
    Fields fields = fields(document);
    Optional<TaskName> task = task(fields);
    Path dataDir = dataDir(fields, task);
    REPLICATION_KEYS.forEach(fields::take);
    List.of("target", "task-settings", "import").forEach(fields::take);
    fields.refuseOthers();
    return task.map(name -> new TaskHome(name, dataDir));
  }

  private Optional<ImportConfig> readImport(Node.Mapping document) {
    Fields fields = fields(document);
    Optional<TaskName> task = task(fields);
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

  private List<FileMapping> importSection(Fields fields, TaskSettings settings) {
    return new ImportSection(this::fields, settings, problems).read(fields);
  }

  private Path dataDir(Fields fields, Optional<TaskName> task) {
    return path(fields, "data-dir")
        .orElseGet(() -> folder.resolve("data/" + task.orElse(null)))
        .normalize();
  }

  private Optional<TaskConfig> read(Node.Mapping document) {
    Fields fields = fields(document);
    Optional<TaskName> task = task(fields);
    Optional<MigrationType> type = migrationType(fields);
    EndpointSections endpoints = new EndpointSections(this::fields);
    Optional<SourceConfig> source = endpoints.source(fields, task);
    Optional<Endpoint> target = endpoints.target(fields);
    Optional<KafkaProperties> kafka = kafka(fields);
    Path dataDir = dataDir(fields, task);
    HttpAddress http = http(fields);
    List<ExternalOrigin> origins = ExternalOrigin.read(fields);
    Optional<CdcStart> start = cdcStart(fields, type, endpoints.sourceType());
    Optional<CdcStop> cdcStop = cdcStop(fields, type, endpoints.sourceType());
    TaskSettings settings = taskSettings(fields);
    requireLoadIfValidationOnly(fields, type, settings);
    Optional<TableMappings> mappings = tableMappings(fields, settings);
    boolean overwrite = fields.toggle(OVERWRITE);
    boolean runsCode = fields.toggle(RUN_CODE);
    importSection(fields, settings);
    CutoverConfig cutover = new CutoverSection(this::fields, folder, problems).read(fields);
    Optional<FallbackConfig> fallback =
        new FallbackSection(this::fields, folder, problems).read(fields, target, dataDir, http);
    requireFallbackForLoopback(fields, settings);
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

  /** The way back never carries a change round: that is what DMS's setting asks for. */
  private void requireFallbackForLoopback(Fields fields, TaskSettings settings) {
    if (settings.preventsLoopback() && fields.take(FallbackSection.KEY).isEmpty()) {
      fields.problem(
          "task-settings",
          "EnableLoopbackPrevention false without a section fallback: two-way replication is not"
              + " built, so without it changes would be replicated in a loop",
          "Set it to false, or add the section fallback, whose way back carries no change round");
    }
  }

  private Fields fields(Node.Mapping mapping) {
    return new Fields(mapping, problems, references::resolve);
  }

  private Optional<TaskName> task(Fields fields) {
    return fields
        .requireText("task", "a name: " + TaskName.RULE, "Add a line such as task: orders")
        .flatMap(
            text -> {
              if (TaskName.isValid(text)) {
                return Optional.of(new TaskName(text));
              }
              fields.problem(
                  "task",
                  TaskName.RULE,
                  "Choose another name; it becomes part of the names of the slot, topics and"
                      + " files");
              return Optional.empty();
            });
  }

  private Optional<MigrationType> migrationType(Fields fields) {
    String expected = "one of: " + String.join(", ", MIGRATION_TYPES);
    return fields
        .requireText("migration-type", expected, "Add a line such as migration-type: cdc")
        .flatMap(
            text -> {
              int index = MIGRATION_TYPES.indexOf(text);
              if (index < 0) {
                fields.problem("migration-type", expected, NearestName.fix(text, MIGRATION_TYPES));
                return Optional.empty();
              }
              return Optional.of(MigrationType.values()[index]);
            });
  }

  /** While changes are applied only the task that applies them can compare exactly. */
  private void requireLoadIfValidationOnly(
      Fields fields, Optional<MigrationType> type, TaskSettings settings) {
    if (settings.get(ValidationSettings.VALIDATION_ONLY)
        && type.filter(MigrationType::captures).isPresent()) {
      fields.problem(
          "migration-type",
          "full-load with ValidationOnly: a task that does not apply the changes cannot compare"
              + " them exactly while they flow",
          "If a Sluice task replicates these tables, set EnableValidation in that task, which"
              + " compares all the time, or run sluice validate with its task file. Otherwise"
              + " write migration-type: full-load, which compares all rows once, and run it while"
              + " nobody writes");
    }
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

  private Optional<Path> path(Fields fields, String key) {
    return fields
        .text(key)
        .flatMap(
            text -> {
              try {
                return Optional.of(folder.resolve(text));
              } catch (InvalidPathException e) {
                fields.problem(key, "a path", "Remove the characters that are invalid in a path");
                return Optional.empty();
              }
            });
  }

  private HttpAddress http(Fields fields) {
    Optional<String> text = fields.text("http");
    if (text.isEmpty()) {
      return HttpAddress.DEFAULT;
    }
    Optional<HttpAddress> address = HttpAddress.parse(text.get());
    if (address.isEmpty()) {
      fields.problem(
          "http",
          "host:port with a port from 0 to 65535 (0 is any free port)",
          "Write it like 127.0.0.1:8080");
    }
    return address.orElse(HttpAddress.DEFAULT);
  }

  private Optional<CdcStart> cdcStart(
      Fields fields, Optional<MigrationType> type, Optional<SourceType> source) {
    Optional<String> text = fields.text("cdc-start-position");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Optional<CdcStart> start = CdcStart.parse(text.get());
    Optional<SourceType.WrongPosition> wrong =
        start.filter(CdcStart.AtPosition.class::isInstance).isPresent()
            ? source.flatMap(known -> known.problemOf(text.get()))
            : Optional.empty();
    if (start.isEmpty()) {
      fields.problem(
          "cdc-start-position",
          CdcStart.FORM + ", or a position of the source",
          "Write the time with its offset, or Z for UTC");
    } else if (wrong.isPresent()) {
      fields.problem(
          "cdc-start-position",
          wrong.get().expected() + ", or " + CdcStart.FORM,
          wrong.get().fix());
    } else if (type.isPresent() && type.get() != MigrationType.CDC) {
      fields.problem(
          "cdc-start-position",
          "none with migration-type " + type.get() + ": replication starts at the load's snapshot",
          "Remove it, or write migration-type: cdc");
    }
    return start;
  }

  private Optional<CdcStop> cdcStop(
      Fields fields, Optional<MigrationType> type, Optional<SourceType> source) {
    Optional<String> text = fields.text("cdc-stop-position");
    Optional<CdcStop> stop = text.flatMap(known -> CdcStop.parse(known, source));
    if (text.isPresent() && stop.isEmpty()) {
      fields.problem(
          "cdc-stop-position",
          "a position of the source, or one of " + CdcStop.FORMS,
          "Write a time with its offset, or Z for UTC");
    } else if (text.isPresent()
        && type.filter(MigrationType::captures).isEmpty()
        && type.isPresent()) {
      fields.problem(
          "cdc-stop-position",
          "none with migration-type " + type.get() + ", which replicates no changes",
          "Remove it");
    }
    return stop;
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
        : path(fields, key)
            .flatMap(
                file -> {
                  files.add(file);
                  return DocumentReader.read(file, problems);
                });
  }
}
