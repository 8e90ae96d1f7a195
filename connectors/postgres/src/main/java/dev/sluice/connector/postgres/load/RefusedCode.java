package dev.sluice.connector.postgres.load;

import dev.sluice.connector.api.load.DefinitionStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * What of the source's definitions is not made on a target by itself, since it would run there with
 * the loader's rights, written by whoever may alter a table of the source. What the target has
 * already is used. Stateless.
 */
final class RefusedCode {

  /*
   * The functions of the checks that are not both built in and immutable. The server records no
   * dependency on what is built in, so they are read out of the stored expressions.
   */
  private static final String UNSAFE_IN_CHECKS =
      """
      SELECT DISTINCT p.oid::regprocedure::text
      FROM pg_constraint k
      CROSS JOIN LATERAL (
        SELECT m[1]::oid FROM regexp_matches(
          k.conbin::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g') m
        UNION
        SELECT o.oprcode FROM regexp_matches(k.conbin::text, ':opno ([0-9]+)', 'g') m
        JOIN pg_operator o ON o.oid = m[1]::oid) used (function)
      JOIN pg_proc p ON p.oid = used.function
      WHERE k.contypid = ?::int8::oid AND (p.provolatile <> 'i' OR p.oid >= 16384)
      ORDER BY 1
      """;

  private RefusedCode() {}

  /** The functions for which a domain is not made; empty where it can be. */
  static Optional<String> inChecksOf(CatalogRows catalog, long domain) throws SQLException {
    List<String> functions =
        catalog.of(UNSAFE_IN_CHECKS, domain).stream().map(row -> row[0]).toList();
    return functions.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", functions));
  }

  /**
   * The same statement where the target has the object; else one that fails with the reason.
   *
   * @param why after the object's name
   */
  static DefinitionStatement instead(DefinitionStatement refused, String why) {
    String message =
        "%s is not on the target, and %s: it would run there with the rights of the task's user. Look at it, and create it there by hand"
            .formatted(refused.thing(), why);
    return new DefinitionStatement(
        refused.thing(),
        refused.unless(),
        "DO "
            + SqlLiteral.of(
                "BEGIN RAISE EXCEPTION USING MESSAGE = " + SqlLiteral.of(message) + "; END"));
  }
}
