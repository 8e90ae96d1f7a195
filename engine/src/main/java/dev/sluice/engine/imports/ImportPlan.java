package dev.sluice.engine.imports;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.ImportConfig;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.load.ImportTables;
import dev.sluice.load.file.DataFile;
import dev.sluice.load.log.ImportLog;
import dev.sluice.load.log.ImportedFile;
import dev.sluice.load.target.ImportTarget;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks folder, files, tables and import log before an import, and collects every problem. Changes
 * nothing. Used by one thread.
 */
final class ImportPlan {
  private final ImportConfig config;
  private final Path folder;
  private final boolean startClean;
  private final int longestRecord;
  private final Map<String, PlannedFile> files = new LinkedHashMap<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Tables whose problems are reported; only once, though several files may go into one. */
  private final Set<TableId> reported = new HashSet<>();

  private final Set<String> badEncodings = new HashSet<>();

  private ImportPlan(ImportConfig config, Path folder, boolean startClean, int longestRecord) {
    this.config = config;
    this.folder = folder;
    this.startClean = startClean;
    this.longestRecord = longestRecord;
  }

  /**
   * @param startClean whether the record of what was imported before is deleted
   * @throws SluiceException.Fatal with every problem
   */
  static ImportPlan of(
      ImportConfig config,
      Path folder,
      TargetServer target,
      ImportLog journal,
      boolean startClean,
      int longestRecord) {
    ImportPlan plan = new ImportPlan(config, folder, startClean, longestRecord);
    plan.check(target, journal);
    if (!plan.problems.isEmpty()) {
      throw new SluiceException.Fatal(plan.problems);
    }
    return plan;
  }

  /** The files by name, in the order in which they are loaded. */
  Map<String, PlannedFile> files() {
    return files;
  }

  List<String> notes() {
    return notes;
  }

  private void check(TargetServer target, ImportLog journal) {
    FolderFiles found = FolderFiles.of(config, folder);
    problems.addAll(found.problems());
    notes.addAll(found.notes());
    Map<String, ImportedFile> known;
    try (ImportTables tables = ImportTables.open(target)) {
      for (MatchedFile file : found.files()) {
        check(file, tables);
      }
      known = startClean ? Map.of() : journal.files();
      if (startClean) {
        problems.addAll(filled(tables));
      }
      List<TableId> into = files.values().stream().map(file -> file.target().table()).toList();
      problems.addAll(CutoverMemory.problems(target, into));
      into.stream()
          .distinct()
          .filter(table -> known.values().stream().noneMatch(file -> file.table().equals(table)))
          .filter(tables::hasRows)
          .forEach(table -> notes.add("table " + table + " holds rows; the files are added to it"));
    } catch (SluiceException.Retryable | SluiceException.Fatal e) {
      problems.add(
          new Problem("target " + config.target(), e.getMessage(), "a server that answers", ""));
      return;
    }
    problems.addAll(differences(files, known, folder));
  }

  /**
   * Finds files that changed since their import began, so that it cannot continue.
   *
   * @param known the target's record of them
   */
  static List<Problem> differences(
      Map<String, PlannedFile> files, Map<String, ImportedFile> known, Path folder) {
    List<Problem> problems = new ArrayList<>();
    for (ImportedFile before : known.values()) {
      PlannedFile now = files.get(before.name());
      String thing = folder.resolve(before.name()).toString();
      String clean =
          "Restore it as it was; or, to import everything again into empty tables, use"
              + " --start-clean";
      if (now == null) {
        if (!before.isWhole() && !Files.exists(folder.resolve(before.name()))) {
          problems.add(
              new Problem(
                  thing,
                  "is missing, and %,d of its rows are imported".formatted(before.rows()),
                  "the file, of which the rest is to be imported",
                  clean));
        }
      } else if (!now.file().identity().equals(before.identity())) {
        problems.add(
            new Problem(
                thing,
                "has changed since its import began: %,d bytes of %s"
                    .formatted(now.file().identity().size(), now.file().identity().modified()),
                "%,d bytes of %s, with the same beginning"
                    .formatted(before.identity().size(), before.identity().modified()),
                clean));
      } else if (!before.isWhole() && !now.layout().equals(before.layout())) {
        problems.add(
            new Problem(
                thing,
                "has another layout: " + now.layout(),
                "the layout with which its import began: " + before.layout(),
                "Set columns and format as they were; or use --start-clean"));
      }
    }
    return problems;
  }

  /**
   * Requires empty tables; called when no other import can commit rows.
   *
   * @throws SluiceException.Fatal with each table that is not empty
   */
  void requireEmpty(TargetServer target) {
    try (ImportTables tables = ImportTables.open(target)) {
      List<Problem> filled = filled(tables);
      if (!filled.isEmpty()) {
        throw new SluiceException.Fatal(filled);
      }
    }
  }

  private List<Problem> filled(ImportTables tables) {
    return files.values().stream()
        .map(file -> file.target().table())
        .distinct()
        .filter(tables::hasRows)
        .map(ImportPlan::hasRows)
        .toList();
  }

  private static Problem hasRows(TableId table) {
    return new Problem(
        "target table " + table,
        "has rows",
        "an empty table, since --start-clean imports every row again",
        "Remove --start-clean to continue with the files; to import them again, empty the table"
            + " first if its rows may be lost");
  }

  private void check(MatchedFile matched, ImportTables tables) {
    if (!tables.knowsEncoding(matched.format().encoding())) {
      if (badEncodings.add(matched.format().encoding())) {
        problems.add(
            new Problem(
                "Encoding of " + matched.name(),
                "\"" + matched.format().encoding() + "\", which the target does not support",
                "a name that PostgreSQL supports, such as UTF8, LATIN1, WIN1252 or SJIS",
                "Correct it"));
      }
      return;
    }
    Optional<TargetTable> table = tables.table(matched.table());
    if (table.isEmpty()) {
      if (reported.add(matched.table())) {
        problems.add(
            new Problem(
                "target table " + matched.table() + ", for " + matched.name(),
                "does not exist",
                "a table of that name on the target, as the catalog spells it",
                "Create it, rename the file, or name its table in the task file: import: {files:"
                    + " [{file: "
                    + matched.name()
                    + ", table: SCHEMA.TABLE}]}"));
      }
    } else if (reported.add(matched.table())) {
      problems.addAll(new ImportTableChecks(config, tables).problemsOf(table.get()));
    }
    open(matched)
        .ifPresent(
            file ->
                table
                    .flatMap(there -> FileColumns.of(matched, file.header(), there, problems))
                    .map(columns -> new ImportTarget(matched.table(), columns))
                    .map(to -> new PlannedFile(file, to, tables.layout(to, file.format())))
                    .ifPresent(planned -> files.put(planned.name(), planned)));
  }

  private Optional<DataFile> open(MatchedFile matched) {
    try {
      return Optional.of(DataFile.open(matched.path(), matched.format(), longestRecord));
    } catch (DataFile.HeaderException e) {
      problems.add(
          new Problem(
              matched.path().toString(),
              e.getMessage(),
              "a file in the format " + matched.format().kind(),
              "Correct the file, or its format in the task file"));
    } catch (IOException e) {
      problems.add(
          new Problem(
              matched.path().toString(),
              "cannot be read: " + e,
              "a readable file" + (matched.name().endsWith(".gz") ? ", packed by gzip" : ""),
              "Check the file and its permissions"));
    }
    return Optional.empty();
  }
}
