package dev.sluice.config.dms;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.mappings.TableMappingsReader;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.task.MigrationType;
import dev.sluice.config.task.TaskFile;
import dev.sluice.config.task.TaskName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Makes a task file of a task of AWS DMS. Reads files only. Used for one task, by the thread of a
 * command.
 */
public final class DmsConversion {
  private static final String SOURCE_PASSWORD = "SOURCE_PASSWORD";
  private static final String TARGET_PASSWORD = "TARGET_PASSWORD";

  /** Line breaks, and what YAML does not allow outside of quotes. */
  private static final Pattern NOT_IN_COMMENTS =
      Pattern.compile(
          "[^\\x20-\\x7E\\xA0-\\x{2027}\\x{202A}-\\x{D7FF}\\x{E000}-\\x{FEFE}\\x{FF00}-\\x{FFFD}]+");

  private static final FileLocation NOWHERE = new FileLocation("", 1, 1, "");

  private final Request request;
  private final Problems problems = new Problems();
  private final List<String> notes = new ArrayList<>();

  private DmsConversion(Request request) {
    this.request = request;
  }

  /**
   * What to convert.
   *
   * @param tasks the answer of describe-replication-tasks
   * @param identifier of one of its tasks; empty if there is one only
   * @param endpoints the answer of describe-endpoints, if there is one
   * @param name the name for the new task; empty: the identifier in lower case
   * @param written the name of the new file, for the places of problems in it
   */
  public record Request(
      Path tasks,
      Optional<String> identifier,
      Optional<Path> endpoints,
      Optional<String> name,
      Path written) {}

  /**
   * Makes the text of the task file; writes nothing.
   *
   * @throws SluiceException.Fatal with all problems of the files that are read
   */
  public static TaskFileDraft of(Request request) {
    return new DmsConversion(request).convert();
  }

  private TaskFileDraft convert() {
    Optional<DmsTask> task = DmsTaskReader.read(request.tasks(), request.identifier(), problems);
    Optional<DmsEndpoints> endpoints =
        request.endpoints().flatMap(file -> DmsEndpoints.read(file, problems));
    Optional<String> name = task.flatMap(this::name);
    Optional<DmsEndpoint> source =
        task.flatMap(of -> endpoint(DmsEndpoint.SOURCE, of.sourceArn(), endpoints));
    Optional<DmsEndpoint> target =
        task.flatMap(of -> endpoint(DmsEndpoint.TARGET, of.targetArn(), endpoints));
    source.ifPresent(from -> target.ifPresent(to -> checkPair(from.engine(), to.engine())));
    problems.throwIfAny();
    return draft(
        task.orElseThrow(), name.orElseThrow(), source.orElseThrow(), target.orElseThrow());
  }

  private Optional<String> name(DmsTask task) {
    String name = request.name().orElse(task.identifier().toLowerCase(Locale.ROOT));
    if (TaskName.isValid(name)) {
      return Optional.of(name);
    }
    problems.add(
        new Problem(
            request.name().isPresent() ? "--name" : task.place().toString(),
            "the name \"" + name + "\"",
            TaskName.RULE,
            "Write a name for the task of Sluice after --name"));
    return Optional.empty();
  }

  private Optional<DmsEndpoint> endpoint(
      String side, String arn, Optional<DmsEndpoints> endpoints) {
    if (request.endpoints().isEmpty()) {
      return Optional.of(DmsEndpoint.UNKNOWN);
    }
    return endpoints.flatMap(known -> known.find(side, arn));
  }

  /** Rows go from PostgreSQL, or to it. */
  private void checkPair(DmsEngine source, DmsEngine target) {
    if (source != DmsEngine.POSTGRESQL && target != DmsEngine.POSTGRESQL) {
      problems.add(
          new Problem(
              request.endpoints().map(Path::toString).orElse("--endpoints"),
              "the task moves " + source + " to " + target,
              "PostgreSQL on one side at least",
              "Keep this task in DMS, or convert it with a target endpoint of PostgreSQL"));
    }
  }

  private TaskFileDraft draft(DmsTask task, String name, DmsEndpoint fromDms, DmsEndpoint toDms) {
    DmsSettings settings = new DmsSettings(task.settings());
    TableMappings mappings =
        TableMappingsReader.read(
            task.mappings(), settings.read().get(TargetMetadata.TARGET_SCHEMA), new Problems());
    List<String> schemas = SelectedDatabase.ofSource(task.mappings());
    DmsEndpoint source = SelectedDatabase.in(DmsEndpoint.SOURCE, fromDms, schemas);
    DmsEndpoint target =
        SelectedDatabase.in(
            DmsEndpoint.TARGET, toDms, SelectedDatabase.ofTarget(schemas, mappings));
    note(task, name, source.engine(), target.engine());
    note(DmsEndpoint.SOURCE, source, task.sourceArn());
    note(DmsEndpoint.TARGET, target, task.targetArn());
    notes.add(
        "passwords — DMS does not tell them: set the environment variables "
            + SOURCE_PASSWORD
            + " and "
            + TARGET_PASSWORD
            + ", or write ${file:/path} in the task file");
    settings.notes().forEach(line -> notes.add("task settings: " + line));
    mappings.notes().forEach(line -> notes.add("table mappings: " + line));
    String text =
        comments(task)
            + YamlText.of("task", new Node.Text(NOWHERE, name))
            + "migration-type: "
            + task.migrationType()
            + "\n"
            + DmsEndpointSection.of(DmsEndpoint.SOURCE, source, SOURCE_PASSWORD)
            + DmsEndpointSection.of(DmsEndpoint.TARGET, target, TARGET_PASSWORD)
            + YamlText.of("table-mappings", task.mappings())
            + (settings.taken().entries().isEmpty()
                ? ""
                : YamlText.of("task-settings", settings.taken()));
    return new TaskFileDraft(
        text,
        notes,
        TaskFile.problemsOf(
            request.written(), text, Map.of(SOURCE_PASSWORD, "-", TARGET_PASSWORD, "-")));
  }

  private void note(DmsTask task, String name, DmsEngine source, DmsEngine target) {
    if (!name.equals(task.identifier())) {
      notes.add("ReplicationTaskIdentifier " + task.identifier() + " — the task is called " + name);
    }
    migrationNote(task.migrationType(), source, target)
        .ifPresent(note -> notes.add("MigrationType " + task.migrationType() + " — " + note));
    if (source.isDb2()) {
      notes.add(
          "source.debezium.connector-folder "
              + DmsEndpointSection.CONNECTOR_FOLDER
              + " — write the folder that has the jars of Debezium's Db2 connector, and IBM's"
              + " driver. Db2 was not run with Sluice: try it on a copy");
    }
    for (Node.Entry entry : task.others()) {
      if (!(entry.value() instanceof Node.Nothing)) {
        notes.add(DmsTaskField.note(entry, task.migrationType(), source));
      }
    }
  }

  private static Optional<String> migrationNote(
      MigrationType type, DmsEngine source, DmsEngine target) {
    if (source.isDb2() && type != MigrationType.FULL_LOAD_AND_CDC) {
      return Optional.of(
          "sluice check refuses it with Debezium's connector, which begins with a snapshot and"
              + " follows: full-load-and-cdc does that");
    }
    if (type != MigrationType.CDC) {
      return Optional.empty();
    }
    String start =
        "a first start follows what is committed from then on. What DMS has"
            + " not applied by then is missing on the target: ";
    return Optional.of(
        target.isDb2()
            ? start
                + "no command finds it on Db2, so take full-load-and-cdc, which loads all tables"
            : start
                + "sluice resync before the first"
                + " start, with overwrite-target-rows: true, compares all rows and makes them"
                + " equal");
  }

  private void note(String side, DmsEndpoint endpoint, String arn) {
    notes.addAll(endpoint.notes());
    if (!endpoint.missing().isEmpty()) {
      notes.add(
          side
              + " endpoint"
              + (arn.isEmpty() ? "" : " " + arn)
              + " — write "
              + String.join(", ", endpoint.missing())
              + " into "
              + side
              + ".url"
              + (request.endpoints().isEmpty() ? ", or add --endpoints" : ""));
    }
  }

  private String comments(DmsTask task) {
    StringBuilder text = new StringBuilder("# From the DMS task ");
    text.append(onOneLine(task.identifier())).append(", by sluice from-dms.\n");
    text.append("# What the file does not have of it, and what else to know:\n");
    for (String line : notes) {
      text.append("#   ").append(onOneLine(line)).append('\n');
    }
    return text.toString();
  }

  /** A line break in a value must not end the comment. */
  private static String onOneLine(String text) {
    return NOT_IN_COMMENTS.matcher(text).replaceAll(" ");
  }
}
