package dev.sluice.engine.imports;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.SettingValues;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.task.ImportConfig;
import dev.sluice.load.file.BadRowFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the files of a folder and their tables: from the task file, otherwise from the name: {@code
 * SCHEMA.TABLE.csv}, {@code TABLE.csv}, {@code TABLE.1.csv} for a part, each also followed by
 * {@code .gz}. Used by one thread.
 */
final class FolderFiles {
  private static final Pattern NAME =
      Pattern.compile(
          "(.+?)(?:\\.\\d+)?\\.(csv|tsv|txt|text|copy)(?:\\.gz)?", Pattern.CASE_INSENSITIVE);

  private static final Set<String> TEXT = Set.of("txt", "text", "copy");

  private static final String DEFAULT_SCHEMA = "public";

  private final ImportConfig config;
  private final Path folder;
  private final List<MatchedFile> files = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private FolderFiles(ImportConfig config, Path folder) {
    this.config = config;
    this.folder = folder;
  }

  static FolderFiles of(ImportConfig config, Path folder) {
    FolderFiles found = new FolderFiles(config, folder);
    found.find();
    return found;
  }

  /** The files, sorted by name. */
  List<MatchedFile> files() {
    return files;
  }

  List<Problem> problems() {
    return problems;
  }

  List<String> notes() {
    return notes;
  }

  private void find() {
    Set<FileMapping> used = new HashSet<>();
    for (Path path : list()) {
      String name = path.getFileName().toString();
      Optional<FileMapping> mapping =
          config.mappings().stream().filter(one -> one.matches(name)).findFirst();
      if (mapping.isPresent()) {
        used.add(mapping.get());
        add(path, mapping.get());
      } else {
        addByName(path, name);
      }
    }
    for (FileMapping mapping : config.mappings()) {
      if (!used.contains(mapping)) {
        problems.add(
            new Problem(
                mapping.place(),
                "no file of " + folder + " is named " + mapping.file(),
                "a file of that folder that no entry above it names",
                "Correct the name, or remove the entry"));
      }
    }
    if (files.isEmpty() && problems.isEmpty()) {
      problems.add(
          new Problem(
              folder.toString(),
              "no file to import",
              "files named SCHEMA.TABLE.csv, TABLE.csv, TABLE.1.csv, TABLE.txt or similar, also"
                  + " followed by .gz",
              "Correct the folder, or set in the task file which file goes into which"
                  + " table: import: {files: [{file: NAME, table: SCHEMA.TABLE}]}"));
    }
  }

  private List<Path> list() {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(Files::isRegularFile)
          .filter(path -> !path.getFileName().toString().startsWith("."))
          .filter(path -> !path.getFileName().toString().endsWith(BadRowFiles.SUFFIX))
          .sorted()
          .toList();
    } catch (IOException e) {
      problems.add(
          new Problem(
              folder.toString(),
              Files.exists(folder)
                  ? "cannot be listed: " + e.getClass().getSimpleName()
                  : "no such folder",
              "a folder with files",
              "Correct the path or grant the right to read it"));
      return List.of();
    }
  }

  private void add(Path path, FileMapping mapping) {
    FileFormat format = config.format(mapping.format(), kind(path.getFileName().toString()));
    List<Problem> wrong = format.problems(mapping.place());
    problems.addAll(wrong);
    if (wrong.isEmpty()) {
      files.add(new MatchedFile(path, mapping.table(), format, mapping.columns()));
    }
  }

  private void addByName(Path path, String name) {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      notes.add("not imported, since its name is not a table name: " + name);
      return;
    }
    TableId table;
    try {
      table =
          matcher.group(1).indexOf('.') < 0
              ? new TableId(schema(), matcher.group(1))
              : TableId.parse(matcher.group(1));
    } catch (IllegalArgumentException e) {
      problems.add(
          new Problem(
              path.toString(),
              "its name is not a table name",
              "SCHEMA.TABLE or TABLE before the ending",
              "Rename it, or name its table in the task file: import: {files: [{file: "
                  + name
                  + ", table: SCHEMA.TABLE}]}"));
      return;
    }
    FileFormat format = config.format(SettingValues.NONE, kind(name));
    List<Problem> wrong = format.problems("Import, for " + name);
    problems.addAll(wrong);
    if (wrong.isEmpty()) {
      files.add(new MatchedFile(path, table, format, List.of()));
    }
  }

  private String schema() {
    return config.taskSettings().get(TargetMetadata.TARGET_SCHEMA).orElse(DEFAULT_SCHEMA);
  }

  private static FileFormat.Kind kind(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() && TEXT.contains(matcher.group(2).toLowerCase(Locale.ROOT))
        ? FileFormat.Kind.TEXT
        : FileFormat.Kind.CSV;
  }
}
