package dev.sluice.config.transformation;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.transformation.TransformationRule.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads the action of a transformation rule: what it does with a name, a column or a table. Used
 * for one document, by one thread.
 */
final class TransformationActionReader {
  /**
   * The fields that actions have. DMS returns some of them as null in rules whose action does not
   * need them.
   */
  static final List<String> FIELDS =
      List.of(
          "value",
          "old-value",
          "data-type",
          "expression",
          "primary-key-def",
          "before-image-def",
          "consolidate-def");

  private static final List<String> OF_COLUMNS =
      List.of(
          "remove-column",
          "include-column",
          "change-data-type",
          "add-column",
          "add-before-image-columns");

  private static final String MASKING = "data-masking-";

  private final Problems problems;

  TransformationActionReader(Problems problems) {
    this.problems = problems;
  }

  /** The names of the actions that rules for a target may have. */
  static List<String> names(String target) {
    Stream<String> names = NameChange.Action.ALL.stream().map(NameChange.Action::text);
    Stream<String> others =
        switch (target) {
          case "column" -> OF_COLUMNS.stream();
          case "table" -> Stream.of("define-primary-key", "consolidate");
          default -> Stream.of();
        };
    return Stream.concat(names, others).toList();
  }

  /** Whether an action adds columns, so that its rule names none. */
  static boolean addsColumns(String action) {
    return action.equals("add-column") || action.equals("add-before-image-columns");
  }

  /**
   * The action; empty after a problem.
   *
   * @param id the rule's id
   * @param target the rule's target: schema, table or column
   */
  Optional<Action> read(Fields rule, String id, String target, String action) {
    Optional<NameChange.Action> change =
        NameChange.Action.ALL.stream().filter(each -> each.text().equals(action)).findFirst();
    if (change.isPresent()) {
      return nameChange(rule, change.get())
          .map(
              made ->
                  switch (target) {
                    case "schema" -> new Action.RenameSchema(made);
                    case "table" -> new Action.RenameTable(made);
                    default -> new Action.RenameColumn(made);
                  });
    }
    if (action.startsWith(MASKING)) {
      problems.add(
          rule.placeOf("rule-action"),
          "rule " + id + ": " + action + " is not built yet",
          "no masking rule: without it the original values would come to the target",
          "Use remove-column for the column, or remove the rule");
      return Optional.empty();
    }
    if (!names(target).contains(action)) {
      problems.add(
          rule.placeOf("rule-action"),
          "rule " + id + " has the rule-action \"" + action + "\" for a " + target,
          Fields.oneOf(names(target)),
          NearestName.fix(action, names(target)));
      return Optional.empty();
    }
    return switch (action) {
      case "remove-column" -> Optional.of(new Action.RemoveColumn());
      case "include-column" -> Optional.of(new Action.IncludeColumn());
      case "change-data-type" -> TransformedType.read(rule, problems).map(Action.ChangeType::new);
      case "add-column" -> addedColumn(rule, id);
      case "define-primary-key" -> definedKey(rule, id);
      case "consolidate" -> consolidation(rule, id);
      case "add-before-image-columns" -> beforeImages(rule, id);
      default -> throw new IllegalStateException("BUG: no reader for " + action);
    };
  }

  private Optional<NameChange> nameChange(Fields rule, NameChange.Action action) {
    Optional<String> value =
        action.takesValue()
            ? rule.requireText("value", "a name, a prefix or a suffix", "Add \"value\"")
            : Optional.of("");
    Optional<String> old =
        action.replaces()
            ? rule.requireText("old-value", "the prefix or suffix to replace", "Add \"old-value\"")
            : Optional.of("");
    if (action == NameChange.Action.RENAME && value.filter(String::isEmpty).isPresent()) {
      rule.problem("value", "a name", "Write the new name");
      return Optional.empty();
    }
    return value.isEmpty() || old.isEmpty()
        ? Optional.empty()
        : Optional.of(new NameChange(action, value.get(), old.get()));
  }

  private Optional<Action> addedColumn(Fields rule, String id) {
    Optional<String> name = rule.requireText("value", "the new column's name", "Add \"value\"");
    Optional<String> type = TransformedType.read(rule, problems);
    Optional<ColumnExpression> expression =
        rule.requireText(
                "expression",
                "an expression over columns, such as $FIRST||' '||$LAST",
                "Add \"expression\"")
            .flatMap(text -> expression(rule, id, text));
    return name.isEmpty() || type.isEmpty() || expression.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Action.AddColumn(new AddedColumn(id, name.get(), type.get(), expression.get())));
  }

  private Optional<ColumnExpression> expression(Fields rule, String id, String text) {
    try {
      return Optional.of(ColumnExpression.parse(text));
    } catch (IllegalArgumentException e) {
      problems.add(
          rule.placeOf("expression"),
          "rule " + id + ": the expression " + text + ": " + e.getMessage(),
          "columns as $NAME, constants, operators, CASE, and functions with the same meaning in"
              + " SQLite and PostgreSQL",
          "Rewrite it, or remove the rule and create the column on the target yourself");
      return Optional.empty();
    }
  }

  private Optional<Action> definedKey(Fields rule, String id) {
    Optional<Fields> key =
        rule.requireFields(
            "primary-key-def",
            "an object with name and columns",
            "Add \"primary-key-def\": {\"name\": \"pk\", \"columns\": [\"id\"]}");
    if (key.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> name = key.get().requireText("name", "the key's name", "Add \"name\"");
    Optional<Node> list = key.get().require("columns", "a list of columns", "Add \"columns\"");
    key.get().refuseOthers();
    if (name.isEmpty() || list.isEmpty()) {
      return Optional.empty();
    }
    List<String> columns = new ArrayList<>();
    if (list.get() instanceof Node.Sequence sequence) {
      sequence.items().forEach(item -> key.get().textOf(item).ifPresent(columns::add));
    }
    if (columns.isEmpty() || columns.stream().distinct().count() < columns.size()) {
      problems.add(
          list.get().place(),
          list.get().kind(),
          "a list of columns without repeats",
          "Write [\"id\", …]");
      return Optional.empty();
    }
    return Optional.of(new Action.DefineKey(new DefinedKey(id, name.get(), columns)));
  }

  private Optional<Action> consolidation(Fields rule, String id) {
    Optional<Fields> constant =
        rule.requireFields(
            "consolidate-def",
            "an object with column-name and column-value",
            "Add \"consolidate-def\": {\"column-name\": \"tenant\", \"column-value\": \"eu\"}");
    if (constant.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> column =
        notEmpty(constant.get(), "column-name", "the column that tells the sources apart");
    Optional<String> value =
        notEmpty(constant.get(), "column-value", "the column's value in all rows of this source")
            .filter(text -> isPlain(constant.get(), text));
    constant.get().refuseOthers();
    return column.isEmpty() || value.isEmpty()
        ? Optional.empty()
        : Optional.of(new Action.Consolidate(new Consolidation(id, column.get(), value.get())));
  }

  /** The catalog prints a backslash in another way than it was written. */
  private static boolean isPlain(Fields fields, String value) {
    if (value.contains("\\")) {
      fields.problem("column-value", "a value without a backslash", "Choose another value");
      return false;
    }
    return true;
  }

  private static Optional<String> notEmpty(Fields fields, String name, String expected) {
    Optional<String> text = fields.requireText(name, expected, "Add \"%s\"".formatted(name));
    if (text.filter(String::isEmpty).isPresent()) {
      fields.problem(name, expected, "Write " + expected);
      return Optional.empty();
    }
    return text;
  }

  private Optional<Action> beforeImages(Fields rule, String id) {
    Optional<Fields> images =
        rule.requireFields(
            "before-image-def",
            "an object with column-prefix or column-suffix, and column-filter",
            "Add \"before-image-def\": {\"column-prefix\": \"BI_\", \"column-filter\":"
                + " \"pk-only\"}");
    if (images.isEmpty()) {
      return Optional.empty();
    }
    int before = problems.count();
    String prefix = images.get().text("column-prefix").orElse("");
    String suffix = images.get().text("column-suffix").orElse("");
    String filter = images.get().text("column-filter").orElse(BeforeImages.Filter.PK_ONLY.text());
    images.get().isAllowed("column-filter", filter, BeforeImages.Filter.TEXTS);
    images.get().refuseOthers();
    if (problems.count() == before && prefix.isEmpty() && suffix.isEmpty()) {
      problems.add(
          images.get().place(),
          "rule " + id + " has a before-image-def without prefix and suffix",
          "a column-prefix, a column-suffix or both, since column names are unique",
          "Add \"column-prefix\": \"BI_\"");
    }
    return problems.count() > before
        ? Optional.empty()
        : Optional.of(
            new Action.AddBeforeImages(
                new BeforeImages(id, prefix, suffix, BeforeImages.Filter.of(filter))));
  }
}
