package dev.sluice.config.dms;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.task.MigrationType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads one task out of the answer of {@code aws dms describe-replication-tasks}. Used for one
 * file, by one thread.
 */
final class DmsTaskReader {
  private static final String TASKS = "ReplicationTasks";
  private static final String IDENTIFIER = "ReplicationTaskIdentifier";
  private static final String TYPE = "MigrationType";
  private static final String MAPPINGS = "TableMappings";
  private static final String SETTINGS = "ReplicationTaskSettings";
  private static final String SOURCE = "SourceEndpointArn";
  private static final String TARGET = "TargetEndpointArn";
  private static final Set<String> TAKEN =
      Set.of(IDENTIFIER, TYPE, MAPPINGS, SETTINGS, SOURCE, TARGET);

  private static final String ANSWER = "the answer of aws dms describe-replication-tasks, as JSON";
  private static final String CALL =
      "Write the file with: aws dms describe-replication-tasks --output json > FILE";

  private final Path file;
  private final Problems problems;

  private DmsTaskReader(Path file, Problems problems) {
    this.file = file;
    this.problems = problems;
  }

  /**
   * Reads the task.
   *
   * @param wanted its identifier; empty if the file has one task only
   * @return empty after a problem
   */
  static Optional<DmsTask> read(Path file, Optional<String> wanted, Problems problems) {
    DmsTaskReader reader = new DmsTaskReader(file, problems);
    return DocumentReader.read(file, problems)
        .flatMap(reader::tasks)
        .flatMap(tasks -> reader.choose(tasks, wanted))
        .flatMap(reader::task);
  }

  /** The tasks of a whole answer, or the one task that a query has taken out of it. */
  private Optional<List<Node.Mapping>> tasks(Node document) {
    Optional<Node.Mapping> answer = Fields.mappingOf(document, problems);
    if (answer.isEmpty()) {
      return Optional.empty();
    }
    if (has(answer.get(), IDENTIFIER)) {
      return Optional.of(List.of(answer.get()));
    }
    Fields fields = new Fields(answer.get(), problems);
    Optional<Node> list = fields.take(TASKS);
    if (list.isEmpty()) {
      problems.add(answer.get().place(), "has no " + TASKS, ANSWER, fixOf(answer.get()));
      return Optional.empty();
    }
    if (!(list.get() instanceof Node.Sequence sequence)) {
      problems.add(list.get().place(), list.get().kind(), "a list of tasks", CALL);
      return Optional.empty();
    }
    int before = problems.count();
    List<Node.Mapping> tasks =
        sequence.items().stream()
            .flatMap(item -> Fields.mappingOf(item, problems).stream())
            .toList();
    return problems.count() == before ? Optional.of(tasks) : Optional.empty();
  }

  private static String fixOf(Node.Mapping answer) {
    if (has(answer, "Endpoints")) {
      return "This is the answer of describe-endpoints: name it after --endpoints. " + CALL;
    }
    if (has(answer, "ReplicationConfigs")) {
      return "This is the answer of describe-replication-configs, of DMS Serverless, which is not"
          + " read. "
          + CALL;
    }
    return CALL;
  }

  private static boolean has(Node.Mapping mapping, String key) {
    return mapping.entries().stream().anyMatch(entry -> entry.key().equals(key));
  }

  private Optional<Node.Mapping> choose(List<Node.Mapping> tasks, Optional<String> wanted) {
    List<String> identifiers = tasks.stream().map(DmsTaskReader::identifierOf).toList();
    List<Node.Mapping> chosen =
        tasks.stream()
            .filter(task -> wanted.isEmpty() || identifierOf(task).equalsIgnoreCase(wanted.get()))
            .toList();
    if (chosen.size() == 1) {
      return Optional.of(chosen.get(0));
    }
    FileLocation place = new FileLocation(file.toString(), 1, 1, TASKS);
    if (tasks.isEmpty()) {
      problems.add(
          place, "no task", "at least one", "Check the region and the account of the call");
    } else if (chosen.isEmpty()) {
      problems.add(
          place,
          "no task \"" + wanted.orElseThrow() + "\"",
          Fields.oneOf(identifiers),
          "After --task: " + NearestName.fix(wanted.orElseThrow(), identifiers));
    } else {
      problems.add(
          place,
          chosen.size() + " tasks: " + String.join(", ", identifiers),
          "one task, or --task with the identifier of one",
          "Add --task " + identifiers.get(0) + ", or the identifier of another one");
    }
    return Optional.empty();
  }

  /** Also of a task that has none, for messages. */
  private static String identifierOf(Node.Mapping task) {
    return task.entries().stream()
        .filter(entry -> entry.key().equals(IDENTIFIER))
        .map(entry -> Node.scalarText(entry.value()))
        .findFirst()
        .map(String::valueOf)
        .orElse("(without an identifier)");
  }

  private Optional<DmsTask> task(Node.Mapping mapping) {
    Fields fields = new Fields(mapping, problems);
    Optional<String> identifier = fields.requireText(IDENTIFIER, "the task's identifier", CALL);
    Optional<MigrationType> type = migrationType(fields);
    String name = identifier.orElse("the task");
    Optional<Node.Mapping> mappings = document(fields, MAPPINGS, name);
    Optional<Node.Mapping> settings = document(fields, SETTINGS, name);
    String source = fields.text(SOURCE).orElse("");
    String target = fields.text(TARGET).orElse("");
    if (identifier.isEmpty() || type.isEmpty() || mappings.isEmpty() || settings.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new DmsTask(
            mapping.place(),
            identifier.get(),
            type.get(),
            mappings.get(),
            settings.get(),
            source,
            target,
            mapping.entries().stream()
                .filter(entry -> !TAKEN.contains(entry.key()))
                .sorted(DmsTaskField.BY_WEIGHT)
                .toList()));
  }

  private Optional<MigrationType> migrationType(Fields fields) {
    List<String> names = Arrays.stream(MigrationType.values()).map(Object::toString).toList();
    return fields
        .requireText(TYPE, Fields.oneOf(names), CALL)
        .filter(text -> fields.isAllowed(TYPE, text, names))
        .map(text -> MigrationType.values()[names.indexOf(text)]);
  }

  /** A document that stands in the answer as a text, or as an object where a tool has read it. */
  private Optional<Node.Mapping> document(Fields fields, String key, String task) {
    Optional<Node> node =
        fields.require(
            key, "a document of JSON in a text", "Call again, without --without-settings");
    if (node.isEmpty()) {
      return Optional.empty();
    }
    if (!(node.get() instanceof Node.Text text)) {
      return fields.mappingOf(node.get());
    }
    String name = file + ", " + key + " of " + task;
    return DocumentReader.json(name, text.text(), problems).flatMap(fields::mappingOf);
  }
}
