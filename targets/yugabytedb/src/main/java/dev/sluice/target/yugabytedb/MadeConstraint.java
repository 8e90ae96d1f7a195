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
 * Without a look at the rows a constraint is made in a moment, whatever the size of its table, and
 * refuses new rows from then on. Applications wait for that only: the rows that are there are looked
 * at behind it.
 */
/**
 * A constraint of a table that is made. Immutable.
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

  /** For people. */
  String shown() {
    return table.table() + "." + name;
  }

  /** Makes it, for new rows. */
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
   * Looks at the rows that were there before it: first by a query that names those that it does not
   * take, then by the server.
   *
   * @param reason what is said of such rows
   * @param broken the rows behind FROM, the table's as {@code r}
   * @param columns that name a row of a table without a key
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
    // One that is not there is not valid: a server may not know it yet, or it was not made.
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
