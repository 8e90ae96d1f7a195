package dev.sluice.connector.postgres.definition;

import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * What of the source's definitions is not made on a target by itself, since it would run there with
 * the loader's rights, written by whoever may alter a table of the source. What the target has
 * already is used. Stateless.
 */
final class UnsafeCode {

  private static final String UNSAFE_IN =
      """
      SELECT DISTINCT p.oid::regprocedure::text
      FROM pg_constraint k
      CROSS JOIN LATERAL (%s) used (function)
      JOIN pg_proc p ON p.oid = used.function
      WHERE k.%s = ?::int8::oid AND NOT %s
      ORDER BY 1
      """;

  private UnsafeCode() {}

  /** The functions for which a domain is not made; empty where it can be. */
  static Optional<String> inChecksOf(CatalogRows catalog, long domain) throws SQLException {
    return unsafe(catalog, "contypid", domain);
  }

  /** The functions for which a check of a table is not made; empty where it can be. */
  static Optional<String> inCheck(CatalogRows catalog, long constraint) throws SQLException {
    return unsafe(catalog, "oid", constraint);
  }

  private static Optional<String> unsafe(CatalogRows catalog, String column, long oid)
      throws SQLException {
    String sql =
        UNSAFE_IN.formatted(SafeFunctions.in("k.conbin::text"), column, SafeFunctions.IS_SAFE);
    List<String> functions = catalog.of(sql, oid).stream().map(row -> row[0]).toList();
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
