package dev.sluice.connector.postgres.definition;

import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Creates the statement for a function on the target. Owned by the thread that reads the
 * definitions.
 */
final class FunctionDefinitions {

  /*
   * Without aggregates: they have no readable definition, and no table definition can use one. Without functions
   * on rows of a table: they cannot be created before the table.
   */
  private static final String FUNCTION =
      """
      SELECT p.oid::regprocedure::text, n.nspname,
             CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END,
             array_to_string(p.proargtypes::oid[] || p.prorettype, ' '),
             EXISTS (SELECT FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid AND c.relkind <> 'c'
                     WHERE t.oid = ANY (p.proargtypes::oid[] || p.prorettype))
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = ?::int8::oid
      """;

  private final CatalogRows catalog;
  private final Prerequisites needed;

  FunctionDefinitions(CatalogRows catalog, Prerequisites needed) {
    this.catalog = catalog;
    this.needed = needed;
  }

  /**
   * The statement, after those for what the function uses; empty if it cannot be created or was
   * dropped.
   */
  Optional<DefinitionStatement> of(long oid) throws SQLException {
    List<String[]> found = catalog.of(FUNCTION, oid);
    if (found.isEmpty() || found.get(0)[2] == null || found.get(0)[4].equals("t")) {
      return Optional.empty();
    }
    String[] row = found.get(0);
    for (String type : row[3].split(" ")) {
      needed.needType(Long.parseLong(type));
    }
    needed.needFor("pg_proc", oid);
    needed.needSchema(row[1]);
    return Optional.of(
        new DefinitionStatement(
            "function " + row[0],
            "SELECT 1 WHERE pg_catalog.to_regprocedure(%s) IS NOT NULL"
                .formatted(SqlLiteral.of(row[0])),
            row[2]));
  }
}
