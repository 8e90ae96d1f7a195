package dev.sluice.config.task;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.ImportSettings;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SettingValues;
import dev.sluice.config.settings.TaskSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.PatternSyntaxException;

/** Reads the section {@code import} of a task file. Used for one file, by one thread. */
final class ImportSection {
  private final Function<Node.Mapping, Fields> within;
  private final TaskSettings settings;
  private final Problems problems;

  /**
   * @param within gives the fields of a section, with references resolved
   */
  ImportSection(Function<Node.Mapping, Fields> within, TaskSettings settings, Problems problems) {
    this.within = within;
    this.settings = settings;
    this.problems = problems;
  }

  /** The target tables by file; empty if the section is missing. */
  List<FileMapping> read(Fields document) {
    List<FileMapping> mappings = new ArrayList<>();
    document
        .mapping("import")
        .ifPresent(
            section -> {
              Fields fields = within.apply(section);
              fields.take("files").ifPresent(files -> files(files, mappings));
              fields.refuseOthers();
            });
    check("Import", settings);
    return mappings;
  }

  private void files(Node files, List<FileMapping> mappings) {
    if (!(files instanceof Node.Sequence list)) {
      problems.add(
          files.place(),
          files.kind(),
          "a list",
          "Write one item for each file: - {file: NAME, table: SCHEMA.TABLE}");
      return;
    }
    for (Node item : list.items()) {
      Fields.mappingOf(item, problems).flatMap(this::mapping).ifPresent(mappings::add);
    }
  }

  private Optional<FileMapping> mapping(Node.Mapping item) {
    Fields fields = within.apply(item);
    Optional<String> file =
        fields
            .requireText("file", "a file name or a pattern such as orders-*.csv", "Add file:")
            .filter(name -> isPattern(fields, name));
    Optional<TableId> table =
        fields
            .requireText("table", "SCHEMA.TABLE", "Add table:")
            .flatMap(name -> table(fields, name));
    SettingValues own = format(fields);
    List<String> columns = columns(fields);
    fields.refuseOthers();
    check(item.place().toString(), settings.with(own));
    if (file.isEmpty() || table.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new FileMapping(item.place().toString(), file.get(), table.get(), columns, own));
  }

  /** The settings of {@code Import} that an item has for its files. */
  private SettingValues format(Fields fields) {
    SettingValues own = SettingValues.NONE;
    Optional<String> kind =
        fields
            .text("format")
            .filter(name -> fields.isAllowed("format", name, List.of("csv", "text")));
    own = kind.isPresent() ? own.with(ImportSettings.FORMAT, kind.get()) : own;
    own = withText(own, ImportSettings.DELIMITER, fields.text("delimiter"));
    own = withText(own, ImportSettings.QUOTE, fields.text("quote"));
    own = withText(own, ImportSettings.ESCAPE, fields.text("escape"));
    Optional<Boolean> header = toggle(fields, "header");
    own = header.isPresent() ? own.with(ImportSettings.HEADER, header.get()) : own;
    own = withText(own, ImportSettings.NULL_STRING, fields.text("null-string"));
    return withText(own, ImportSettings.ENCODING, fields.text("encoding"));
  }

  private static SettingValues withText(
      SettingValues values, Setting<Optional<String>> setting, Optional<String> text) {
    return text.isPresent() ? values.with(setting, text) : values;
  }

  private boolean isPattern(Fields fields, String name) {
    try {
      new FileMapping("", name, new TableId("", ""), List.of(), SettingValues.NONE).matches("");
      if (name.indexOf('/') < 0) {
        return true;
      }
    } catch (PatternSyntaxException e) {
      // reported below
    }
    fields.problem(
        "file",
        "a file name without a folder, or a pattern with *, ? and [ab]",
        "Write it like orders-*.csv");
    return false;
  }

  private Optional<TableId> table(Fields fields, String name) {
    try {
      return Optional.of(TableId.parse(name));
    } catch (IllegalArgumentException e) {
      fields.problem(
          "table", "SCHEMA.TABLE, a part with a dot in double quotes", "Write the schema too");
      return Optional.empty();
    }
  }

  private Optional<Boolean> toggle(Fields fields, String key) {
    Optional<Node> node = fields.take(key);
    if (node.isPresent() && !(node.get() instanceof Node.Flag)) {
      fields.problem(key, "true or false", "Write true or false, without quotes");
    }
    return node.filter(Node.Flag.class::isInstance).map(flag -> ((Node.Flag) flag).value());
  }

  private List<String> columns(Fields fields) {
    Optional<Node> node = fields.take("columns");
    List<String> columns = new ArrayList<>();
    if (node.isPresent() && node.get() instanceof Node.Sequence list) {
      list.items().forEach(item -> fields.textOf(item).ifPresent(columns::add));
    } else if (node.isPresent()) {
      fields.problem("columns", "a list of the file's columns", "Write it like [id, name]");
    }
    return columns;
  }

  /**
   * Checks the format; if its kind is not set, as CSV, since only the file's name decides later.
   */
  private void check(String thing, TaskSettings format) {
    FileFormat.Kind kind = ImportSettings.kind(format).orElse(FileFormat.Kind.CSV);
    ImportSettings.format(format, kind).problems(thing).forEach(problems::add);
  }
}
