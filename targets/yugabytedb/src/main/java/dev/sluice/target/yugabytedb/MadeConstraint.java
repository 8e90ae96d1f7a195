package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableOutline;
import java.util.List;
import java.util.stream.Collectors;

/*
 * Without a check of the rows a constraint is created in a moment, whatever the size of its table,
 * and rejects new rows from then on. Applications wait only for that. The existing rows are checked
 * afterwards.
 */
/**
 * A constraint of a table that Sluice creates. Immutable.
 *
 * @param type as {@code pg_constraint} has it
 */
record MadeConstraint(TableOutline table, String name, char type) {
  private static final int LONGEST_TEXT = 500;
  private static final int NAMED_AT_MOST = 10;

  private static final String THERE =
      "SELECT 1 FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.conrelid"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace"
          + " WHERE k.contype = '%s' AND n.nspname = %s AND t.relname = %s AND k.conname = %s";

  /** Its name in messages. */
  String shown() {
    return table.table() + "." + name;
  }

  /** Creates it for new rows. */
  CompletionStep made(Kind kind, String definition) {
    return CompletionStep.of(
        table.table(),
        Stage.CONSTRAINTS,
        0,
        kind,
        shown(),
        List.of(
            new DefinitionStatement(
                YugabyteIndexes.DIALECT,
                "constraint " + shown(),
                there(),
                "ALTER TABLE %s ADD CONSTRAINT %s %s NOT VALID"
                    .formatted(table.table().quoted(), TableId.quote(name), definition))));
  }

  /**
   * Checks the rows that were there before it: first by a query that names the rows that violate
   * it, then by the server.
   *
   * @param reason what the message says of such rows
   * @param broken the query's part after FROM, with the table as {@code r}
   * @param columns identify a row in the message if the table has no key
   */
  CompletionStep validated(String reason, String broken, List<String> columns) {
    List<String> named = table.key().isEmpty() ? columns : table.key();
    String rows =
        """
        SELECT left(%s || string_agg(named, ', ' ORDER BY named), %d) FROM (
          SELECT '(' || concat_ws(', ', %s) || ')' AS named FROM %s LIMIT %d) AS found
        HAVING count(*) > 0"""
            .formatted(
                Literal.of(reason + ", such as those with " + String.join(", ", named) + " "),
                LONGEST_TEXT,
                named.stream()
                    .map(column -> "r." + TableId.quote(column))
                    .collect(Collectors.joining(", ")),
                broken,
                NAMED_AT_MOST);
    // A constraint that is missing counts as not valid: a server may not know it yet, or it was not
    // created.
    String valid = there() + " AND k.convalidated";
    return CompletionStep.of(
        table.table(),
        Stage.CONSTRAINTS,
        0,
        Kind.VALIDATION,
        shown(),
        List.of(
            new DefinitionStatement(
                YugabyteIndexes.DIALECT, "rows of constraint " + shown(), "", rows),
            new DefinitionStatement(
                YugabyteIndexes.DIALECT,
                "validated constraint " + shown(),
                valid,
                "ALTER TABLE %s VALIDATE CONSTRAINT %s"
                    .formatted(table.table().quoted(), TableId.quote(name)))));
  }

  private String there() {
    return THERE.formatted(
        type,
        Literal.of(table.table().schema()),
        Literal.of(table.table().name()),
        Literal.of(name));
  }
}
