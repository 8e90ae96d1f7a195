package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Creates the statement for a collation on the target. Owned by the thread that reads the
 * definitions.
 */
final class CollationDefinitions {

  /* The column of the locale differs between versions. */
  private static final String COLLATION =
      """
      SELECT n.nspname, c.collname, c.collprovider, c.collisdeterministic,
             coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale', c.collcollate),
             c.collcollate, c.collctype, to_jsonb(c) ->> 'collicurules'
      FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
      WHERE c.oid = ?::int8::oid
      """;

  private final CatalogRows catalog;
  private final Prerequisites needed;

  CollationDefinitions(CatalogRows catalog, Prerequisites needed) {
    this.catalog = catalog;
    this.needed = needed;
  }

  /** The statement; empty if the collation was dropped. */
  Optional<DefinitionStatement> of(long oid) throws SQLException {
    List<String[]> found = catalog.of(COLLATION, oid);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    String[] row = found.get(0);
    TableId name = new TableId(row[0], row[1]);
    needed.needSchema(name.schema());
    String options =
        row[2].equals("c")
            ? "provider = libc, lc_collate = %s, lc_ctype = %s"
                .formatted(SqlLiteral.of(row[5]), SqlLiteral.of(row[6]))
            : "provider = %s, locale = %s, deterministic = %s%s"
                .formatted(
                    row[2].equals("i") ? "icu" : "builtin",
                    SqlLiteral.of(row[4]),
                    row[3].equals("t"),
                    row[7] == null ? "" : ", rules = " + SqlLiteral.of(row[7]));
    return Optional.of(
        new DefinitionStatement(
            "collation " + name,
            "SELECT 1 FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n"
                + " ON n.oid = c.collnamespace WHERE n.nspname = %s AND c.collname = %s"
                    .formatted(SqlLiteral.of(name.schema()), SqlLiteral.of(name.name())),
            "CREATE COLLATION %s (%s)".formatted(name.quoted(), options)));
  }
}
