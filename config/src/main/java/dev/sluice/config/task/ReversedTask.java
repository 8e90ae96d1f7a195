package dev.sluice.config.task;

import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.ValidationSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes of a task with a section {@code fallback} the task of the way back: an ordinary one, with
 * source and target exchanged. Stateless.
 */
final class ReversedTask {
  /** Added to the task's name. */
  static final String SUFFIX = "_fallback";

  private ReversedTask() {}

  static Optional<TaskName> name(TaskName forward) {
    String text = forward.text() + SUFFIX;
    return TaskName.isValid(text) ? Optional.of(new TaskName(text)) : Optional.empty();
  }

  /** What of the task has no way back, each by its name; empty if the way back can be made. */
  static List<Problem> problems(TaskConfig forward) {
    List<Problem> problems = new ArrayList<>();
    FallbackConfig fallback = forward.fallback().orElseThrow();
    if (name(forward.task()).isEmpty()) {
      problems.add(
          problem(
              "task " + forward.task(),
              "a name that has no room for " + SUFFIX,
              "at most %d characters".formatted(TaskName.LONGEST - SUFFIX.length()),
              "Choose a shorter name"));
    }
    if (!forward.migrationType().captures()) {
      problems.add(
          problem(
              "migration-type",
              forward.migrationType().toString(),
              "cdc or full-load-and-cdc: without changes there is no cutover, and no way back",
              "Remove the section fallback, or choose another migration-type"));
    }
    if (forward.taskSettings().get(ValidationSettings.VALIDATION_ONLY)) {
      problems.add(
          problem(
              "ValidationOnly", "true", "a task that moves rows", "Remove the section fallback"));
    }
    if (fallback.user().equals(forward.source().endpoint().user())) {
      problems.add(
          problem(
              "fallback.user",
              fallback.user() + ", the user of section source",
              "a role of its own: after the cutover it alone may write to the old source, so no"
                  + " application and no person may use it",
              "Create a role for the way back on the source, and name it here"));
    }
    if (fallback.dataDir().equals(forward.dataDir())) {
      problems.add(
          problem(
              "fallback.data-dir",
              "the data-dir of the task itself",
              "a directory of its own: two daemons run",
              "Remove the line, or name another directory"));
    }
    mappings(forward, problems);
    if (source(forward).isEmpty()) {
      problems.add(
          problem(
              "section fallback",
              "the target, " + forward.target().type() + ", cannot be read as a source is",
              "a target of a type that is a source too",
              "Remove the section"));
    }
    return problems;
  }

  /** What changes names, columns, rows or values on the way there. */
  private static void mappings(TaskConfig forward, List<Problem> problems) {
    List<String> lasting = forward.tableMappings().irreversible();
    if (!lasting.isEmpty()) {
      problems.add(
          irreversible(
              "the transformation rules %s have no way back: %s"
                  .formatted(
                      forward.tableMappings().transformations(), String.join("; ", lasting))));
    }
    if (forward.tableMappings().filters()) {
      problems.add(
          irreversible(
              "the row filters of "
                  + forward.tableMappings().selection()
                  + " have no way back: the target lacks rows of the source"));
    }
    forward
        .taskSettings()
        .get(TargetMetadata.TARGET_SCHEMA)
        .ifPresent(
            schema ->
                problems.add(
                    irreversible(
                        "TargetSchema "
                            + schema
                            + " has no way back: the target does not tell the schema of the"
                            + " source. A rule that renames the schema has one")));
    if (forward.tableMappings().lobLimits().cuts()) {
      problems.add(irreversible("values are cut, and the target lacks what was cut off"));
    }
  }

  private static Problem irreversible(String found) {
    return problem(
        "section fallback",
        found,
        "tables that are renamed at most, with the same columns and values on both sides",
        "Remove the section fallback, or what cannot be turned back");
  }

  private static Problem problem(String thing, String found, String expected, String fix) {
    return new Problem(thing, found, expected, fix);
  }

  private static Optional<SourceConfig> source(TaskConfig forward) {
    FallbackConfig fallback = forward.fallback().orElseThrow();
    Endpoint target = forward.target();
    Endpoint reader =
        new Endpoint(
            target.type(),
            target.host(),
            target.port(),
            target.database(),
            fallback.readerUser(),
            fallback.readerPassword(),
            target.options());
    String retention = forward.task().replicationName() + SUFFIX;
    return EndpointTypes.sources()
        .named(target.type())
        .flatMap(type -> type.reversed(forward.source(), reader, retention));
  }

  /**
   * The task of the way back.
   *
   * @param forward without {@link #problems}
   */
  static TaskConfig of(TaskConfig forward) {
    FallbackConfig fallback = forward.fallback().orElseThrow();
    Endpoint old = forward.source().endpoint();
    return new TaskConfig(
        name(forward.task()).orElseThrow(),
        MigrationType.CDC,
        source(forward).orElseThrow(),
        new Endpoint(
            old.type(),
            old.host(),
            old.port(),
            old.database(),
            fallback.user(),
            fallback.password(),
            old.options()),
        forward.kafka(),
        fallback.dataDir(),
        fallback.http(),
        fallback.httpOrigins(),
        Optional.empty(),
        Optional.empty(),
        forward.tableMappings().reversed(),
        forward.taskSettings(),
        false,
        forward.runsSourceCode(),
        fallback.hooks(),
        Optional.empty(),
        Optional.of(forward),
        forward.files().reversed());
  }
}
