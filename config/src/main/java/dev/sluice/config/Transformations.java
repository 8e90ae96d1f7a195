package dev.sluice.config;

import dev.sluice.config.TransformationRule.Action;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the transformation rules make of names and columns. Rules always speak of the source's
 * names. As in DMS one rule acts on one thing; where several match, the first one counts, and
 * {@link #problemsOf} tells of it before a task runs. Immutable, threadsafe.
 */
final class Transformations implements ColumnNames {
  private static final int LONGEST_NAME = 63;

  private final List<TransformationRule> rules;

  Transformations(List<TransformationRule> rules) {
    this.rules = List.copyOf(rules);
  }

  boolean isEmpty() {
    return rules.isEmpty();
  }

  /** Whether tables of the target may have other columns than the source's. */
  boolean mapsColumns() {
    return rules.stream()
        .anyMatch(rule -> !isAnyOf(rule, Action.RenameSchema.class, Action.RenameTable.class));
  }

  Optional<TransformationRule> firstOfSchemas() {
    return rules.stream().filter(rule -> isAnyOf(rule, Action.RenameSchema.class)).findFirst();
  }

  String schemaOf(String schema) {
    for (TransformationRule rule : rules) {
      if (rule.action() instanceof Action.RenameSchema renames && rule.schema().matches(schema)) {
        return orSame(schema, renames.change().of(schema));
      }
    }
    return schema;
  }

  String tableOf(TableId source) {
    for (TransformationRule rule : rules) {
      if (rule.action() instanceof Action.RenameTable renames && rule.matches(source)) {
        return orSame(source.name(), renames.change().of(source.name()));
      }
    }
    return source.name();
  }

  @Override
  public Optional<String> of(TableId table, String column) {
    boolean includes = false;
    for (TransformationRule rule : rules) {
      if (rule.action() instanceof Action.IncludeColumn && rule.matches(table)) {
        includes = true;
        if (rule.column().matches(column)) {
          return Optional.of(named(table, column));
        }
      }
    }
    if (includes) {
      return Optional.empty();
    }
    for (TransformationRule rule : rules) {
      if (isNaming(rule) && rule.matches(table, column)) {
        return rule.action() instanceof Action.RenameColumn renames
            ? Optional.of(orSame(column, renames.change().of(column)))
            : Optional.empty();
      }
    }
    return Optional.of(column);
  }

  private String named(TableId table, String column) {
    for (TransformationRule rule : rules) {
      if (rule.action() instanceof Action.RenameColumn renames && rule.matches(table, column)) {
        return orSame(column, renames.change().of(column));
      }
    }
    return column;
  }

  @Override
  public Optional<String> typeOf(TableId table, String column) {
    return rules.stream()
        .filter(rule -> rule.matches(table, column))
        .map(TransformationRule::action)
        .filter(Action.ChangeType.class::isInstance)
        .map(action -> ((Action.ChangeType) action).type())
        .findFirst();
  }

  @Override
  public Optional<String> obstacleToNew(TableId table) {
    return rules.stream()
        .filter(rule -> isAnyOf(rule, Action.AddColumn.class, Action.DefineKey.class))
        .filter(rule -> rule.matches(table))
        .map(
            rule ->
                "rule %s gives it what only a load makes; take it in with sluice reload"
                    .formatted(rule.id()))
        .findFirst();
  }

  List<AddedColumn> addedTo(TableId table) {
    return rules.stream()
        .filter(rule -> rule.matches(table))
        .map(TransformationRule::action)
        .filter(Action.AddColumn.class::isInstance)
        .map(action -> ((Action.AddColumn) action).column())
        .toList();
  }

  Optional<DefinedKey> keyOf(TableId table) {
    return rules.stream()
        .filter(rule -> rule.matches(table))
        .map(TransformationRule::action)
        .filter(Action.DefineKey.class::isInstance)
        .map(action -> ((Action.DefineKey) action).key())
        .findFirst();
  }

  /**
   * What cannot be honoured for a table of the source.
   *
   * @param columns all that travel
   * @param key those of the key by which its rows are found; empty where it has none
   */
  List<Problem> problemsOf(TableId table, List<String> columns, List<String> key) {
    List<Problem> problems = new ArrayList<>();
    String thing = "table-mappings, table " + table;
    refuseSeveral(
        problems,
        thing,
        "schema " + table.schema(),
        rules.stream()
            .filter(rule -> isAnyOf(rule, Action.RenameSchema.class))
            .filter(rule -> rule.schema().matches(table.schema()))
            .toList());
    refuseSeveral(problems, thing, "its name", matching(table, Action.RenameTable.class));
    refuseSeveral(problems, thing, "its primary key", matching(table, Action.DefineKey.class));
    requireName(problems, thing, "schema " + table.schema(), schemaOf(table.schema()));
    requireName(problems, thing, "the table", tableOf(table));
    for (String column : columns) {
      String of = "column " + column;
      List<TransformationRule> ofColumn =
          rules.stream().filter(rule -> rule.matches(table, column)).toList();
      refuseSeveral(
          problems, thing, of, ofColumn.stream().filter(Transformations::isNaming).toList());
      refuseSeveral(
          problems,
          thing,
          "the type of " + of,
          ofColumn.stream().filter(rule -> isAnyOf(rule, Action.ChangeType.class)).toList());
      Optional<String> name = of(table, column);
      name.ifPresent(text -> requireName(problems, thing, of, text));
      if (name.isEmpty() && key.contains(column)) {
        problems.add(
            new Problem(
                thing,
                "rules %s leave out column %s, which is of the key by which its rows are found"
                    .formatted(removing(table, column), column),
                "all columns of the key " + key,
                "Take the column out of the rule, or the table out of the selection"));
      }
    }
    refuseSameNames(problems, thing, table, columns);
    addedTo(table).forEach(added -> problemsOf(problems, thing, table, added, columns));
    keyOf(table)
        .ifPresent(
            defined -> {
              for (String column : defined.columns()) {
                if (!columns.contains(column) || of(table, column).isEmpty()) {
                  problems.add(
                      new Problem(
                          thing,
                          "rule %s defines a primary key with %s, which the target's table has not"
                              .formatted(defined.rule(), column),
                          "columns of the source that are carried: " + columns,
                          "Mend the rule; it speaks of the source's names"));
                }
              }
            });
    return problems;
  }

  /** Rules for columns that match none of these tables' columns: a mistyped name, perhaps. */
  List<String> idle(Map<TableId, List<String>> tables) {
    return rules.stream()
        .filter(
            rule ->
                isNaming(rule)
                    || isAnyOf(rule, Action.ChangeType.class, Action.IncludeColumn.class))
        .filter(
            rule ->
                tables.entrySet().stream()
                    .noneMatch(
                        table ->
                            table.getValue().stream()
                                .anyMatch(column -> rule.matches(table.getKey(), column))))
        .map(
            rule ->
                "rule %s matches no column of the selected tables: %s.%s.%s"
                    .formatted(rule.id(), rule.schema(), rule.table(), rule.column()))
        .toList();
  }

  private void problemsOf(
      List<Problem> problems,
      String thing,
      TableId table,
      AddedColumn added,
      List<String> columns) {
    requireName(problems, thing, "rule " + added.rule(), added.name());
    for (String reference : added.expression().references()) {
      if (!columns.contains(reference) || of(table, reference).isEmpty()) {
        problems.add(
            new Problem(
                thing,
                "rule %s computes column %s from $%s, which the target's table has not"
                    .formatted(added.rule(), added.name(), reference),
                "columns of the source that are carried: " + columns,
                "Mend the expression; it speaks of the source's names, as the catalog spells them"));
      }
    }
  }

  private void refuseSameNames(
      List<Problem> problems, String thing, TableId table, List<String> columns) {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    for (String column : columns) {
      of(table, column)
          .ifPresent(name -> byName.computeIfAbsent(name, n -> new ArrayList<>()).add(column));
    }
    for (AddedColumn added : addedTo(table)) {
      byName
          .computeIfAbsent(added.name(), name -> new ArrayList<>())
          .add("that of rule " + added.rule());
    }
    byName.forEach(
        (name, same) -> {
          if (same.size() > 1) {
            problems.add(
                new Problem(
                    thing,
                    "the columns %s would all become %s".formatted(same, name),
                    "one column of the target for each",
                    "Mend the transformation rules"));
          }
        });
    if (byName.isEmpty() && !columns.isEmpty()) {
      problems.add(
          new Problem(
              thing, "the rules leave no column of it", "one column at least", "Mend the rules"));
    }
  }

  private List<TransformationRule> matching(TableId table, Class<?> action) {
    return rules.stream().filter(rule -> isAnyOf(rule, action) && rule.matches(table)).toList();
  }

  private String removing(TableId table, String column) {
    return rules.stream()
        .filter(
            rule ->
                isAnyOf(rule, Action.RemoveColumn.class) && rule.matches(table, column)
                    || isAnyOf(rule, Action.IncludeColumn.class) && rule.matches(table))
        .map(TransformationRule::id)
        .collect(Collectors.joining(", "));
  }

  private static void refuseSeveral(
      List<Problem> problems, String thing, String of, List<TransformationRule> matching) {
    if (matching.size() > 1) {
      problems.add(
          new Problem(
              thing,
              "the rules %s all act on %s"
                  .formatted(
                      matching.stream()
                          .map(TransformationRule::id)
                          .collect(Collectors.joining(", ")),
                      of),
              "one rule for one thing, as in DMS",
              "Narrow the object-locator of one of them, or remove it"));
    }
  }

  private static void requireName(List<Problem> problems, String thing, String of, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > LONGEST_NAME) {
      problems.add(
          new Problem(
              thing,
              "%s would be called \"%s\", which has %s"
                  .formatted(of, name, Counted.of(bytes, "byte")),
              "a name of 1 to " + LONGEST_NAME + " bytes, which is what PostgreSQL keeps",
              "Mend the transformation rule"));
    }
  }

  private static boolean isNaming(TransformationRule rule) {
    return isAnyOf(rule, Action.RenameColumn.class, Action.RemoveColumn.class);
  }

  private static boolean isAnyOf(TransformationRule rule, Class<?>... actions) {
    return List.of(actions).contains(rule.action().getClass());
  }

  private static String orSame(String name, String changed) {
    return changed.isEmpty() ? name : changed;
  }

  @Override
  public String toString() {
    return rules.stream().map(TransformationRule::toString).collect(Collectors.joining(", "));
  }
}
