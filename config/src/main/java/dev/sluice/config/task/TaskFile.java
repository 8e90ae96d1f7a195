package dev.sluice.config.task;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ValidationSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a task file and the files that it names. Paths are relative to the task file. Stateless.
 */
public final class TaskFile {

  private TaskFile() {}

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
            .flatMap(document -> new TaskDocument(file, environment, problems).read(document));
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
        .ifPresent(document -> new TaskDocument(file, environment, problems).read(document));
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
            .flatMap(
                document -> new TaskDocument(file, environment, problems).readImport(document));
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
            .flatMap(
                document -> new TaskDocument(file, System.getenv(), problems).readHome(document));
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
                  TaskDocument read = new TaskDocument(file, System.getenv(), problems);
                  return read.fallbackDataDir(document, forward.dataDir());
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
              TaskDocument read = new TaskDocument(file, System.getenv(), ignored);
              return read.taskSettings(document).get(ValidationSettings.VALIDATION_ONLY);
            })
        .orElse(false);
  }
}
