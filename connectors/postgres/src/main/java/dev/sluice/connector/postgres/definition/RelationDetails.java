package dev.sluice.connector.postgres.definition;

import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates the statements for optional properties of a table: comments, storage parameters, column
 * storage and statistics targets. One statement each, so that a target that refuses one accepts the
 * others. Owned by the thread that reads the definitions.
 */
final class RelationDetails {

  /* Compression exists since PostgreSQL 14; older catalogs do not have the column. */
  private static final String ALTERATIONS =
      """
      SELECT 'storage parameter ' || o.option_name, format('SET (%s = %L)', o.option_name, o.option_value)
      FROM pg_class c, pg_options_to_table(c.reloptions) o
      WHERE c.oid = ?::int8::oid AND c.relkind <> 'v'
      UNION ALL
      SELECT 'storage parameter toast.' || o.option_name,
             format('SET (toast.%s = %L)', o.option_name, o.option_value)
      FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid,
           pg_options_to_table(t.reloptions) o WHERE c.oid = ?::int8::oid
      UNION ALL
      SELECT kind || ' of column ' || attname, format('ALTER COLUMN %I ', attname) || altered
      FROM (
        SELECT a.attname, k.kind, k.altered
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN LATERAL (
          SELECT p.attstorage, to_jsonb(p) ->> 'attcompression' AS compression
          FROM pg_inherits i JOIN pg_attribute p ON p.attrelid = i.inhparent
            AND p.attname = a.attname AND NOT p.attisdropped
          WHERE i.inhrelid = a.attrelid ORDER BY i.inhseqno LIMIT 1) above ON true
        CROSS JOIN LATERAL (VALUES
          ('storage',
           CASE WHEN a.attstorage <> t.typstorage OR a.attstorage <> above.attstorage
                THEN 'SET STORAGE ' || CASE a.attstorage WHEN 'p' THEN 'PLAIN'
                     WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END),
          ('compression',
           CASE WHEN to_jsonb(a) ->> 'attcompression' <> ''
                  OR to_jsonb(a) ->> 'attcompression' <> above.compression
                THEN 'SET COMPRESSION ' || CASE to_jsonb(a) ->> 'attcompression'
                     WHEN 'p' THEN 'pglz' WHEN 'l' THEN 'lz4' ELSE 'default' END END),
          ('statistics target',
           CASE WHEN a.attstattarget >= 0 THEN 'SET STATISTICS ' || a.attstattarget END),
          ('options',
           CASE WHEN a.attoptions IS NOT NULL
                THEN 'SET (' || array_to_string(a.attoptions, ', ') || ')' END)
        ) k (kind, altered)
        WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
          AND k.altered IS NOT NULL
        ORDER BY a.attnum) columns
      """;

  private static final String COMMENTS =
      """
      SELECT NULL, obj_description(?::int8::oid, 'pg_class')
      UNION ALL
      SELECT quote_ident(a.attname), col_description(a.attrelid, a.attnum)
      FROM pg_attribute a
      WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
      """;

  private final CatalogRows catalog;

  RelationDetails(CatalogRows catalog) {
    this.catalog = catalog;
  }

  List<DefinitionStatement> of(SourceRelation relation) throws SQLException {
    List<DefinitionStatement> details = new ArrayList<>();
    for (String[] row : catalog.of(ALTERATIONS, relation.oid())) {
      details.add(
          DefinitionStatement.always(
              row[0] + " of table " + relation.target(), relation.only() + row[1]));
    }
    for (String[] row : catalog.of(COMMENTS, relation.oid())) {
      if (row[1] != null) {
        String commented =
            row[0] == null
                ? "TABLE " + relation.target().quoted()
                : "COLUMN " + relation.target().quoted() + "." + row[0];
        details.add(comment("table " + relation.target(), commented, row[1]));
      }
    }
    return details;
  }

  /**
   * @param commented the object in the syntax of COMMENT ON
   */
  static DefinitionStatement comment(String thing, String commented, String text) {
    return DefinitionStatement.always(
        "comment on " + thing, "COMMENT ON %s IS %s".formatted(commented, SqlLiteral.of(text)));
  }
}
