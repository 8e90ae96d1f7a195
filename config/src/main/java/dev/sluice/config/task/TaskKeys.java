package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.settings.ValidationSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads the keys of a task file that have one value. A wrong one is a problem. Stateless. */
final class TaskKeys {
  private static final List<String> MIGRATION_TYPES =
      Arrays.stream(MigrationType.values()).map(MigrationType::toString).toList();

  private TaskKeys() {}

  static Optional<TaskName> task(Fields fields) {
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

  static Optional<MigrationType> migrationType(Fields fields) {
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

  static HttpAddress http(Fields fields) {
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

  static Optional<CdcStart> cdcStart(
      Fields fields,
      Optional<MigrationType> type,
      Optional<SourceType> source,
      Optional<SourceConfig> config) {
    Optional<String> text = fields.text("cdc-start-position");
    if (text.isEmpty()) {
      config
          .flatMap(SourceConfig::problemWithoutStart)
          .ifPresent(
              wrong ->
                  fields
                      .problems()
                      .add(
                          fields.placeOf("source"),
                          "cdc-start-position is missing",
                          wrong.expected(),
                          wrong.fix()));
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

  static Optional<CdcStop> cdcStop(
      Fields fields, Optional<MigrationType> type, Optional<SourceType> source) {
    Optional<String> text = fields.text("cdc-stop-position");
    Optional<CdcStop> stop = text.flatMap(known -> CdcStop.parse(known, source));
    if (text.isPresent() && stop.isEmpty()) {
      fields.problem(
          "cdc-stop-position",
          CdcStop.expected(text.get(), source),
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

  static Optional<Path> path(Fields fields, String key, Path folder) {
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

  /** While changes are applied only the task that applies them can compare exactly. */
  static void requireLoadIfValidationOnly(
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

  /** The way back never carries a change round: that is what DMS's setting asks for. */
  static void requireFallbackForLoopback(Fields fields, TaskSettings settings) {
    if (settings.preventsLoopback() && fields.take(FallbackSection.KEY).isEmpty()) {
      fields.problem(
          "task-settings",
          "EnableLoopbackPrevention false without a section fallback: two-way replication is not"
              + " built, so without it changes would be replicated in a loop",
          "Set it to false, or add the section fallback, whose way back carries no change round");
    }
  }
}
