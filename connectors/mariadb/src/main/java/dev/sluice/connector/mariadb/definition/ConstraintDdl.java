package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The steps that create the constraints of one table. For a constraint that is not created, the
 * step has the reason. Immutable.
 *
 * @param target the table's name on the target
 */
record ConstraintDdl(MariadbTable table, TableId target) {
  private static final String UNCHECKED = " NOT VALID";

  /**
   * Creates a foreign key, and validates it.
   *
   * @param referenced the referenced table; empty if it is in another database
   * @param referencedTarget its name on the target
   */
  List<CompletionStep> foreignKey(
      MariadbForeignKey key, Optional<MariadbTable> referenced, TableId referencedTarget) {
    boolean unique =
        referenced.stream()
            .flatMap(other -> other.indexes().stream())
            .anyMatch(
                index ->
                    index.unique()
                        && index.parts().stream().allMatch(part -> part.prefix().isEmpty())
                        && index.columns().size() == key.referencedColumns().size()
                        && index.columns().containsAll(key.referencedColumns()));
    Optional<String> unable =
        referenced.isEmpty()
            ? Optional.of("it references %s, of another database".formatted(key.referenced()))
            : unique
                ? Optional.empty()
                : Optional.of(
                    "%s of %s are not unique, as PostgreSQL requires"
                        .formatted(key.referencedColumns(), key.referenced()));
    String definition =
        "FOREIGN KEY (%s) REFERENCES %s (%s) ON UPDATE %s ON DELETE %s"
            .formatted(
                list(key.columns()),
                referencedTarget.quoted(),
                list(key.referencedColumns()),
                key.onUpdate(),
                key.onDelete());
    return steps(Kind.FOREIGN_KEY, key.name(), definition, unable).stream()
        .map(step -> step.referencing(referencedTarget))
        .toList();
  }

  /** Creates a check, and validates it. */
  List<CompletionStep> check(String name, String condition) {
    Optional<String> translated = PortableExpression.of(condition);
    return steps(
        Kind.CHECK,
        name,
        "CHECK (" + translated.orElse("true") + ")",
        translated.isPresent()
            ? Optional.empty()
            : Optional.of(
                "its condition has no known counterpart, create it by hand: " + condition));
  }

  /**
   * The steps that only name parts of the columns that are not created.
   *
   * @param ordinary whether a generated column is an ordinary one on the target
   */
  List<CompletionStep> notMade(SequenceDefaults sequences, Predicate<String> ordinary) {
    List<CompletionStep> steps = new ArrayList<>();
    table
        .columns()
        .forEach(
            column -> {
              if (!column.isAutoIncrement() && column.generation().isEmpty()) {
                ColumnDefault.of(column, sequences)
                    .notMade()
                    .ifPresent(
                        value ->
                            steps.add(
                                unmade(
                                    "default of " + target + "." + column.name(),
                                    "it has no known counterpart, set it by hand: " + value)));
              }
              column
                  .generation()
                  .filter(expression -> ordinary.test(column.name()))
                  .ifPresent(
                      expression ->
                          steps.add(
                              unmade(
                                  "expression of " + target + "." + column.name(),
                                  "the column has the source's values, and nothing fills it after"
                                      + " the cutover: write a trigger, or replace it by a generated"
                                      + " column: "
                                      + expression)));
              if (column.isSetByUpdates()) {
                steps.add(
                    unmade(
                        "update of " + target + "." + column.name(),
                        "PostgreSQL has no ON UPDATE; use a trigger if the applications need it"));
              }
            });
    return steps;
  }

  /** The step that names a trigger, which is not created. */
  CompletionStep trigger(String name) {
    return unmade(
        target + "." + name, "triggers of the source are not created; write them by hand");
  }

  private CompletionStep unmade(String name, String reason) {
    return CompletionStep.of(target, Stage.CONSTRAINTS, 0, Kind.TRIGGER, name, List.of())
        .skippedFor(Optional.of(reason));
  }

  private List<CompletionStep> steps(
      Kind kind, String name, String definition, Optional<String> unable) {
    String qualified = target + "." + name;
    String there =
        "SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = pg_catalog.to_regclass(%s) AND conname = %s"
            .formatted(SqlText.of(target.quoted()), SqlText.of(name));
    String altering = "ALTER TABLE " + target.quoted();
    CompletionStep made =
        CompletionStep.of(
                target,
                Stage.CONSTRAINTS,
                0,
                kind,
                qualified,
                List.of(
                    new DefinitionStatement(
                        "constraint " + qualified,
                        there,
                        "%s ADD CONSTRAINT %s %s%s"
                            .formatted(altering, TableId.quote(name), definition, UNCHECKED))))
            .skippedFor(unable);
    if (unable.isPresent()) {
      return List.of(made);
    }
    return List.of(
        made,
        CompletionStep.of(
            target,
            Stage.CONSTRAINTS,
            0,
            Kind.VALIDATION,
            qualified,
            List.of(
                new DefinitionStatement(
                    "validation of constraint " + qualified,
                    there + " AND convalidated",
                    "%s VALIDATE CONSTRAINT %s".formatted(altering, TableId.quote(name))))));
  }

  private static String list(List<String> columns) {
    return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
  }
}
