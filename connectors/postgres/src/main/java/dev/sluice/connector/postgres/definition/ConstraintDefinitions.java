package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.load.MadeCode;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Creates the steps for the checks and foreign keys of a relation on the target. Each is added NOT
 * VALID, which is fast, then validated, which reads the table without blocking it. One that the
 * source has not validated stays so. Owned by the thread that reads the definitions.
 */
final class ConstraintDefinitions {
  private static final int FIRST_WITH_UNVALIDATED_ON_PARTITIONED = 18;
  private static final int FIRST_WITH_PERIOD = 18;
  private static final int FIRST_WITH_NOT_ENFORCED = 18;
  private static final int FIRST_WITH_NOT_NULL_CONSTRAINTS = 18;

  private static final String NOT_VALID = " NOT VALID";

  /** Without inherited ones; of NOT NULL those that CREATE TABLE cannot express. */
  private static final String CONSTRAINTS =
      """
      SELECT k.oid::int8, k.conname, pg_get_constraintdef(k.oid), k.contype, k.convalidated,
             rn.nspname, r.relname,
             'REFERENCES ' || quote_ident(rn.nspname) || '.' || quote_ident(r.relname),
             obj_description(k.oid, 'pg_constraint'), k.conislocal
      FROM pg_constraint k
      LEFT JOIN pg_class r ON r.oid = k.confrelid LEFT JOIN pg_namespace rn ON rn.oid = r.relnamespace
      WHERE k.conrelid = ?::int8::oid AND k.conparentid = 0
        AND (k.contype IN ('c', 'f') OR (k.contype = 'n' AND NOT k.convalidated))
      ORDER BY k.contype, k.conname
      """;

  private static final String IS_THERE =
      "SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = %s AND conname = %s";

  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;
  private final int targetMajorVersion;
  private final boolean runsCode;

  ConstraintDefinitions(
      CatalogRows catalog,
      UnaryOperator<TableId> targetOf,
      int targetMajorVersion,
      boolean runsCode) {
    this.runsCode = runsCode;
    this.catalog = catalog;
    this.targetOf = targetOf;
    this.targetMajorVersion = targetMajorVersion;
  }

  /** The steps, all with the same order number; the reader orders them. */
  List<CompletionStep> of(SourceRelation relation) throws SQLException {
    List<CompletionStep> steps = new ArrayList<>();
    for (String[] constraint : catalog.of(CONSTRAINTS, relation.oid())) {
      if (constraint[9].equals("t") || !relation.isChild()) {
        steps.addAll(steps(relation, constraint));
      }
    }
    return steps;
  }

  private List<CompletionStep> steps(SourceRelation relation, String[] constraint)
      throws SQLException {
    boolean references = constraint[3].equals("f");
    boolean validated = constraint[4].equals("t");
    boolean atOnce =
        references
            && relation.isPartitioned()
            && targetMajorVersion < FIRST_WITH_UNVALIDATED_ON_PARTITIONED;
    String definition = constraint[2];
    Optional<TableId> other =
        references
            ? Optional.of(targetOf.apply(new TableId(constraint[5], constraint[6])))
            : Optional.empty();
    if (references) {
      definition = definition.replace(constraint[7], "REFERENCES " + other.orElseThrow().quoted());
    }
    String name = relation.target() + "." + constraint[1];
    String there =
        IS_THERE.formatted(SqlLiteral.regclass(relation.target()), SqlLiteral.of(constraint[1]));
    Prerequisites needed =
        new Prerequisites(catalog, targetMajorVersion, runsCode ? MadeCode.ALL : MadeCode.NONE);
    needed.needFor("pg_constraint", Long.parseLong(constraint[0]));
    List<DefinitionStatement> statements = new ArrayList<>(needed.statements());
    String altering = "ALTER TABLE " + relation.target().quoted();
    statements.add(
        new DefinitionStatement(
            "constraint " + name,
            // An inherited one becomes a local one as well.
            there + " AND conislocal",
            "%s ADD CONSTRAINT %s %s%s"
                .formatted(
                    altering,
                    TableId.quote(constraint[1]),
                    definition,
                    validated && !atOnce ? NOT_VALID : "")));
    if (constraint[8] != null) {
      statements.add(
          RelationDetails.comment(
              "constraint " + name,
              "CONSTRAINT %s ON %s"
                  .formatted(TableId.quote(constraint[1]), relation.target().quoted()),
              constraint[8]));
    }
    List<CompletionStep> steps = new ArrayList<>();
    CompletionStep made =
        CompletionStep.of(
                relation.root(),
                Stage.CONSTRAINTS,
                0,
                references ? Kind.FOREIGN_KEY : Kind.CHECK,
                name,
                statements)
            .skippedFor(unable(constraint, definition));
    steps.add(other.map(made::referencing).orElse(made));
    if (validated && !atOnce && made.skipped().isEmpty()) {
      steps.add(
          CompletionStep.of(
              relation.root(),
              Stage.CONSTRAINTS,
              0,
              Kind.VALIDATION,
              name,
              List.of(
                  new DefinitionStatement(
                      "validated constraint " + name,
                      "SELECT 1 WHERE NOT EXISTS (%s AND NOT convalidated)".formatted(there),
                      "%s VALIDATE CONSTRAINT %s"
                          .formatted(altering, TableId.quote(constraint[1]))))));
    }
    return steps;
  }

  private Optional<String> unable(String[] constraint, String definition) throws SQLException {
    String kind = constraint[3];
    if (!runsCode && kind.equals("c")) {
      Optional<String> code = UnsafeCode.inCheck(catalog, Long.parseLong(constraint[0]));
      if (code.isPresent()) {
        return Optional.of(
            "it would run %s with the rights of the task's user, and the task file does not say %s"
                .formatted(code.get(), EvaluatedCode.CONSENT));
      }
    }
    if (targetMajorVersion < FIRST_WITH_NOT_ENFORCED && definition.endsWith(" NOT ENFORCED")) {
      return Optional.of(needs("NOT ENFORCED", FIRST_WITH_NOT_ENFORCED));
    }
    if (targetMajorVersion < FIRST_WITH_PERIOD && definition.contains(" PERIOD ")) {
      return Optional.of(needs("a foreign key with PERIOD", FIRST_WITH_PERIOD));
    }
    if (targetMajorVersion < FIRST_WITH_NOT_NULL_CONSTRAINTS && kind.equals("n")) {
      return Optional.of(needs("NOT NULL that is not validated", FIRST_WITH_NOT_NULL_CONSTRAINTS));
    }
    return Optional.empty();
  }

  private String needs(String what, int version) {
    return "%s needs PostgreSQL %d, the target is %d".formatted(what, version, targetMajorVersion);
  }
}
