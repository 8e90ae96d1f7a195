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
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Creates the steps for the triggers of a relation on the target, with missing functions. Each is
 * enabled or disabled as on the source. Owned by the thread that reads the definitions.
 */
final class TriggerDefinitions {

  /**
   * Without the copies that partitions have of their parents' triggers, and without those by which
   * a cutover keeps writers out of the source.
   */
  private static final String TRIGGERS =
      """
      SELECT g.oid::int8, g.tgname, pg_get_triggerdef(g.oid), g.tgenabled,
             format(' ON %I.%I ', n.nspname, t.relname), rn.nspname, r.relname,
             ' FROM ' || quote_ident(rn.nspname) || '.' || quote_ident(r.relname) || ' ',
             obj_description(g.oid, 'pg_trigger')
      FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace
      LEFT JOIN pg_class r ON r.oid = g.tgconstrrelid
      LEFT JOIN pg_namespace rn ON rn.oid = r.relnamespace
      WHERE g.tgrelid = ?::int8::oid AND NOT g.tgisinternal AND g.tgparentid = 0
        AND g.tgname NOT IN ('!sluice_moved', '!sluice_moved_rows')
      ORDER BY g.tgname
      """;

  /** Copies on partitions whose enabled state differs from the parent's. */
  private static final String OTHER_COPIES =
      """
      SELECT g.tgname, g.tgenabled
      FROM pg_trigger g JOIN pg_trigger above ON above.oid = g.tgparentid
      WHERE g.tgrelid = ?::int8::oid AND NOT above.tgisinternal AND g.tgenabled <> above.tgenabled
        AND g.tgname <> '!sluice_moved_rows'
      ORDER BY g.tgname
      """;

  private static final String AS_MADE = "O";

  private static final Map<String, String> STATES =
      Map.of(
          AS_MADE,
          "ENABLE TRIGGER",
          "D",
          "DISABLE TRIGGER",
          "R",
          "ENABLE REPLICA TRIGGER",
          "A",
          "ENABLE ALWAYS TRIGGER");

  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;
  private final int targetMajorVersion;
  private final boolean runsCode;

  TriggerDefinitions(
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
    for (String[] trigger : catalog.of(TRIGGERS, relation.oid())) {
      steps.add(trigger(relation, trigger));
    }
    for (String[] copy : catalog.of(OTHER_COPIES, relation.oid())) {
      steps.add(step(relation, copy[0], List.of(state(relation, copy[0], copy[1]))));
    }
    return steps;
  }

  private CompletionStep trigger(SourceRelation relation, String[] trigger) throws SQLException {
    Prerequisites needed =
        new Prerequisites(
            catalog, targetMajorVersion, runsCode ? MadeCode.ALL : MadeCode.OF_ITS_CALLER);
    needed.needFor("pg_trigger", Long.parseLong(trigger[0]));
    String name = relation.target() + "." + trigger[1];
    String sql = trigger[2].replaceFirst(quoted(trigger[4]), on(" ON ", relation.target()));
    Optional<TableId> other = Optional.empty();
    if (trigger[5] != null) {
      other = Optional.of(targetOf.apply(new TableId(trigger[5], trigger[6])));
      sql = sql.replaceFirst(quoted(trigger[7]), on(" FROM ", other.get()));
    }
    List<DefinitionStatement> statements = new ArrayList<>(needed.statements());
    statements.add(
        new DefinitionStatement(
            "trigger " + name,
            "SELECT 1 FROM pg_catalog.pg_trigger WHERE tgrelid = %s AND tgname = %s"
                .formatted(SqlLiteral.regclass(relation.target()), SqlLiteral.of(trigger[1])),
            sql));
    if (!trigger[3].equals(AS_MADE)) {
      statements.add(state(relation, trigger[1], trigger[3]));
    }
    if (trigger[8] != null) {
      statements.add(
          RelationDetails.comment(
              "trigger " + name,
              "TRIGGER %s ON %s".formatted(TableId.quote(trigger[1]), relation.target().quoted()),
              trigger[8]));
    }
    CompletionStep step = step(relation, trigger[1], statements);
    return other.map(step::referencing).orElse(step);
  }

  private static DefinitionStatement state(SourceRelation relation, String trigger, String state) {
    return DefinitionStatement.always(
        "state of trigger %s.%s".formatted(relation.target(), trigger),
        "ALTER TABLE %s%s %s %s"
            .formatted(
                relation.isPartitioned() ? "" : "ONLY ",
                relation.target().quoted(),
                STATES.get(state),
                TableId.quote(trigger)));
  }

  private static CompletionStep step(
      SourceRelation relation, String trigger, List<DefinitionStatement> statements) {
    return CompletionStep.of(
        relation.root(),
        Stage.CONSTRAINTS,
        0,
        Kind.TRIGGER,
        relation.target() + "." + trigger,
        statements);
  }

  private static String quoted(String text) {
    return Pattern.quote(text);
  }

  private static String on(String word, TableId table) {
    return Matcher.quoteReplacement(word + table.quoted() + " ");
  }
}
