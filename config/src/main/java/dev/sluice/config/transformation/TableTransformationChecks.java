package dev.sluice.config.transformation;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.TransformationRule.Action;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Checks the transformation rules against one table of the source. Used once, by one thread. */
final class TableTransformationChecks {
  private final Transformations transformations;
  private final List<TransformationRule> rules;
  private final TableId table;
  private final List<String> columns;
  private final Map<String, String> types;
  private final List<String> key;
  private final String thing;
  private final List<Problem> problems = new ArrayList<>();

  /**
   * @param rules the rules of the transformations
   * @param types of all replicated columns, in order
   * @param key columns of the key that identifies its rows; empty if there is none
   */
  TableTransformationChecks(
      Transformations transformations,
      List<TransformationRule> rules,
      TableId table,
      Map<String, String> types,
      List<String> key) {
    this.transformations = transformations;
    this.rules = rules;
    this.table = table;
    this.columns = List.copyOf(types.keySet());
    this.types = types;
    this.key = key;
    this.thing = "table-mappings, table " + table;
  }

  List<Problem> problems() {
    refuseSeveral(
        "schema " + table.schema(),
        rule -> rule.doesOneOf(Action.RenameSchema.class) && rule.schema().matches(table.schema()));
    refuseSeveral(
        "its name", rule -> rule.doesOneOf(Action.RenameTable.class) && rule.matches(table));
    refuseSeveral(
        "its primary key", rule -> rule.doesOneOf(Action.DefineKey.class) && rule.matches(table));
    refuseSeveral(
        "its before images",
        rule -> rule.doesOneOf(Action.AddBeforeImages.class) && rule.matches(table));
    refuseSeveral(
        "the column that has one value",
        rule -> rule.doesOneOf(Action.Consolidate.class) && rule.matches(table));
    requireName("schema " + table.schema(), transformations.schemaOf(table.schema()));
    requireName("the table", transformations.tableOf(table));
    columns.forEach(this::checkColumn);
    beforeImages().forEach((column, image) -> requireName(ofBefore(column), image));
    refuseSameNames();
    transformations.addedTo(table).forEach(this::checkAdded);
    transformations.keyOf(table).ifPresent(this::checkKey);
    transformations
        .consolidationOf(table)
        .ifPresent(constant -> requireName("rule " + constant.rule(), constant.column()));
    return problems;
  }

  private void checkColumn(String column) {
    String of = "column " + column;
    refuseSeveral(of, rule -> rule.namesColumns() && rule.matches(table, column));
    refuseSeveral(
        "the type of " + of,
        rule -> rule.doesOneOf(Action.ChangeType.class) && rule.matches(table, column));
    Optional<String> name = transformations.of(table, column);
    name.ifPresent(text -> requireName(of, text));
    if (name.isEmpty() && key.contains(column)) {
      problems.add(
          new Problem(
              thing,
              "rules %s remove column %s, which belongs to the key that identifies its rows"
                  .formatted(removing(column), column),
              "all columns of the key " + key,
              "Remove the column from the rule, or the table from the selection"));
    }
  }

  private void checkAdded(AddedColumn added) {
    requireName("rule " + added.rule(), added.name());
    for (String reference : added.expression().references()) {
      if (!isCarried(reference)) {
        problems.add(
            new Problem(
                thing,
                "rule %s computes column %s from $%s, which is not replicated"
                    .formatted(added.rule(), added.name(), reference),
                "replicated columns of the source: " + columns,
                "Correct the expression; it must use the names of the source, as its catalog spells"
                    + " them"));
      }
    }
  }

  private void checkKey(DefinedKey defined) {
    for (String column : defined.columns()) {
      if (!isCarried(column)) {
        problems.add(
            new Problem(
                thing,
                "rule %s defines a primary key with %s, which is not replicated"
                    .formatted(defined.rule(), column),
                "replicated columns of the source: " + columns,
                "Correct the rule; it must use the names of the source"));
      }
    }
  }

  private boolean isCarried(String column) {
    return columns.contains(column) && transformations.of(table, column).isPresent();
  }

  private void refuseSameNames() {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    for (String column : columns) {
      transformations
          .of(table, column)
          .ifPresent(name -> byName.computeIfAbsent(name, n -> new ArrayList<>()).add(column));
    }
    for (AddedColumn added : transformations.addedTo(table)) {
      byName
          .computeIfAbsent(added.name(), name -> new ArrayList<>())
          .add("that of rule " + added.rule());
    }
    transformations
        .consolidationOf(table)
        .ifPresent(
            constant ->
                byName
                    .computeIfAbsent(constant.column(), name -> new ArrayList<>())
                    .add("that of rule " + constant.rule()));
    beforeImages()
        .forEach(
            (column, image) ->
                byName.computeIfAbsent(image, name -> new ArrayList<>()).add(ofBefore(column)));
    byName.forEach(
        (name, same) -> {
          if (same.size() > 1) {
            problems.add(
                new Problem(
                    thing,
                    "columns %s would all become %s".formatted(same, name),
                    "a different column of the target for each",
                    "Correct the transformation rules"));
          }
        });
    if (byName.isEmpty() && !columns.isEmpty()) {
      problems.add(
          new Problem(
              thing,
              "the transformation rules remove all its columns",
              "at least one column",
              "Correct the rules"));
    }
  }

  /** The names of before-image columns, by column. */
  private Map<String, String> beforeImages() {
    Map<String, String> images = new LinkedHashMap<>();
    if (!key.isEmpty()) {
      types.forEach(
          (column, type) ->
              transformations
                  .beforeOf(table, column, type, key.contains(column))
                  .ifPresent(image -> images.put(column, image)));
    }
    return images;
  }

  private String ofBefore(String column) {
    return "the before image of %2$s by rule %1$s"
        .formatted(transformations.imagesOf(table).orElseThrow().rule(), column);
  }

  private String removing(String column) {
    return ids(
        rules.stream()
            .filter(
                rule ->
                    rule.doesOneOf(Action.RemoveColumn.class) && rule.matches(table, column)
                        || rule.doesOneOf(Action.IncludeColumn.class) && rule.matches(table))
            .toList());
  }

  private void refuseSeveral(String of, Predicate<TransformationRule> acting) {
    List<TransformationRule> matching = rules.stream().filter(acting).toList();
    if (matching.size() > 1) {
      problems.add(
          new Problem(
              thing,
              "rules %s all act on %s".formatted(ids(matching), of),
              "one rule for each object, as in DMS",
              "Narrow the object-locator of one of them, or remove it"));
    }
  }

  private static String ids(List<TransformationRule> rules) {
    return rules.stream().map(TransformationRule::id).collect(Collectors.joining(", "));
  }

  private void requireName(String of, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > TableId.LONGEST_NAME) {
      problems.add(
          new Problem(
              thing,
              "%s would be called \"%s\", which has %s"
                  .formatted(of, name, Counted.of(bytes, "byte")),
              "a name of 1 to " + TableId.LONGEST_NAME + " bytes, which is PostgreSQL's limit",
              "Correct the transformation rule"));
    }
  }
}
