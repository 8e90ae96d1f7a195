package dev.sluice.connector.postgres.definition;

import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Finds code in the source's definitions that is not created on a target without consent: it would
 * run with the loader's rights, and any role that may alter a table of the source could have
 * written it. Objects that the target already has are used. Stateless.
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

  /** The functions that prevent creating a domain; empty if it can be created. */
  static Optional<String> inChecksOf(CatalogRows catalog, long domain) throws SQLException {
    return unsafe(catalog, "contypid", domain);
  }

  /** The functions that prevent creating a check of a table; empty if it can be created. */
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
   * A statement that fails with the reason, unless the target has the object.
   *
   * @param why the reason, after the object's name
   */
  static DefinitionStatement instead(DefinitionStatement refused, String why) {
    String message =
        "%s is not on the target, and %s: it would run there with the rights of the task's user. Review it, and create it there by hand"
            .formatted(refused.thing(), why);
    return new DefinitionStatement(
        refused.thing(),
        refused.unless(),
        "DO "
            + SqlLiteral.of(
                "BEGIN RAISE EXCEPTION USING MESSAGE = " + SqlLiteral.of(message) + "; END"));
  }
}
