package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.TransformationRule.Action;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The transformation rules of a task, applied to names and columns. Rules match names of the
 * source. As in DMS, only one rule may act on an object; of several, the first one counts, and
 * {@link #problemsOf} reports it before a task runs. Immutable, threadsafe.
 */
public final class Transformations implements ColumnNames {
  private final List<TransformationRule> rules;

  public Transformations(List<TransformationRule> rules) {
    this.rules = List.copyOf(rules);
  }

  List<TransformationRule> rules() {
    return rules;
  }

  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /** Whether tables of the target may have other columns than those of the source. */
  public boolean mapsColumns() {
    return rules.stream()
        .anyMatch(rule -> !rule.doesOneOf(Action.RenameSchema.class, Action.RenameTable.class));
  }

  public Optional<TransformationRule> firstOfSchemas() {
    return rules.stream().filter(rule -> rule.doesOneOf(Action.RenameSchema.class)).findFirst();
  }

  public String schemaOf(String schema) {
    for (TransformationRule rule : rules) {
      if (rule.action() instanceof Action.RenameSchema renames && rule.schema().matches(schema)) {
        return orSame(schema, renames.change().of(schema));
      }
    }
    return schema;
  }

  public String tableOf(TableId source) {
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
      if (rule.namesColumns() && rule.matches(table, column)) {
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
        .filter(
            rule ->
                rule.doesOneOf(
                    Action.AddColumn.class, Action.DefineKey.class, Action.Consolidate.class))
        .filter(rule -> rule.matches(table))
        .map(
            rule ->
                "rule %s adds to it what only a load creates; load it with sluice reload"
                    .formatted(rule.id()))
        .findFirst();
  }

  @Override
  public Optional<String> beforeOf(TableId table, String column, String type, boolean key) {
    return imagesOf(table)
        .filter(images -> images.takes(type, key))
        .flatMap(images -> of(table, column).map(images::nameFor));
  }

  public Optional<BeforeImages> imagesOf(TableId table) {
    return actions(Action.AddBeforeImages.class, table)
        .map(Action.AddBeforeImages::images)
        .findFirst();
  }

  /** The tables whose complete old rows the log must have. */
  public List<SelectionPattern> needingWholeRows() {
    return rules.stream()
        .filter(
            rule ->
                rule.action() instanceof Action.AddBeforeImages adds
                    && adds.images().needWholeRows())
        .map(
            rule ->
                new SelectionPattern(
                    SelectionPattern.Says.WHOLE_ROWS,
                    rule.schema().regularExpression(),
                    rule.table().regularExpression()))
        .toList();
  }

  public List<AddedColumn> addedTo(TableId table) {
    return actions(Action.AddColumn.class, table).map(Action.AddColumn::column).toList();
  }

  public Optional<DefinedKey> keyOf(TableId table) {
    return actions(Action.DefineKey.class, table).map(Action.DefineKey::key).findFirst();
  }

  public Optional<Consolidation> consolidationOf(TableId table) {
    return actions(Action.Consolidate.class, table)
        .map(Action.Consolidate::consolidation)
        .findFirst();
  }

  /**
   * Whether the target's table has all columns of the source's with their types, perhaps by other
   * names, and no others that a rule adds.
   *
   * @param columns names of the source's columns
   */
  public boolean keepColumns(TableId table, Collection<String> columns) {
    return addedTo(table).isEmpty()
        && keyOf(table).isEmpty()
        && consolidationOf(table).isEmpty()
        && columns.stream()
            .allMatch(column -> of(table, column).isPresent() && typeOf(table, column).isEmpty());
  }

  /**
   * The problems of the rules with a table of the source.
   *
   * @param columns all replicated columns, with their types as {@code format_type} prints them
   * @param key columns of the key that identifies its rows; empty if there is none
   */
  public List<Problem> problemsOf(TableId table, Map<String, String> columns, List<String> key) {
    return new TableTransformationChecks(this, rules, table, columns, key).problems();
  }

  /**
   * One line for each column rule that matches no column of these tables, perhaps by a typing
   * error.
   */
  public List<String> idle(Map<TableId, List<String>> tables) {
    return rules.stream()
        .filter(
            rule ->
                rule.namesColumns()
                    || rule.doesOneOf(
                        Action.ChangeType.class,
                        Action.IncludeColumn.class,
                        Action.AddBeforeImages.class))
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

  /** The actions of one kind on a table, in the order of their rules. */
  private <A extends Action> Stream<A> actions(Class<A> kind, TableId table) {
    return rules.stream()
        .filter(rule -> rule.matches(table))
        .map(TransformationRule::action)
        .filter(kind::isInstance)
        .map(kind::cast);
  }

  private static String orSame(String name, String changed) {
    return changed.isEmpty() ? name : changed;
  }

  @Override
  public String toString() {
    return rules.stream().map(TransformationRule::toString).collect(Collectors.joining(", "));
  }
}
