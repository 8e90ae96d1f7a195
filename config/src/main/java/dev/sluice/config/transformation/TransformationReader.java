package dev.sluice.config.transformation;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Problems;
import dev.sluice.config.transformation.TransformationRule.Action;
import java.util.List;
import java.util.Optional;

/**
 * Reads transformation rules: which tables and columns each concerns, and its action. Used for one
 * document, by one thread.
 */
public final class TransformationReader {
  private static final NamePattern ANY = new NamePattern("%");

  private static final List<String> TARGETS =
      List.of("schema", "table", "column", "table-tablespace", "index-tablespace");

  private final Problems problems;
  private final List<String> notes;
  private final TransformationActionReader actions;

  /**
   * @param notes receives remarks on rules, one line each
   */
  public TransformationReader(Problems problems, List<String> notes) {
    this.problems = problems;
    this.notes = notes;
    this.actions = new TransformationActionReader(problems);
  }

  /**
   * The rule; empty after a problem, or if it has no effect here, which is noted.
   *
   * @param id the rule's id
   */
  public Optional<TransformationRule> read(Fields rule, String id) {
    Optional<String> target = rule.choice("rule-target", TARGETS);
    if (target.isPresent() && target.get().endsWith("-tablespace")) {
      notes.add(
          "rule "
              + id
              + ": "
              + target.get()
              + " rules have no effect; the target's default_tablespace applies");
      return Optional.empty();
    }
    Optional<String> action =
        rule.requireText(
            "rule-action", Fields.oneOf(TransformationActionReader.names("table")), "");
    Optional<Fields> locator =
        rule.requireFields(
            "object-locator",
            "an object with schema-name, and with table-name and column-name as the rule-target"
                + " needs",
            "Add \"object-locator\": {\"schema-name\": \"public\", \"table-name\": \"%\"}");
    if (target.isEmpty() || action.isEmpty() || locator.isEmpty()) {
      return Optional.empty();
    }
    boolean ofSchema = target.get().equals("schema");
    boolean ofColumn = target.get().equals("column");
    boolean adds = TransformationActionReader.addsColumns(action.get());
    Optional<NamePattern> schema = NamePattern.read(locator.get(), "schema-name", problems);
    Optional<NamePattern> table =
        ofSchema ? Optional.of(ANY) : NamePattern.read(locator.get(), "table-name", problems);
    Optional<NamePattern> column =
        ofColumn && !adds
            ? NamePattern.read(locator.get(), "column-name", problems)
            : Optional.of(ANY);
    if (adds) {
      locator.get().text("column-name");
    }
    locator.get().refuseOthers();
    int before = problems.count();
    Optional<Action> does = actions.read(rule, id, target.get(), action.get());
    if (problems.count() == before) {
      rule.allowWithoutValue(TransformationActionReader.FIELDS);
      rule.refuseOthers();
    }
    if (schema.isEmpty() || table.isEmpty() || column.isEmpty() || does.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new TransformationRule(
            id, rule.place(), schema.get(), table.get(), column.get(), does.get()));
  }
}
