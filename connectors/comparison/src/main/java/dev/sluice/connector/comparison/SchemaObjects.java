package dev.sluice.connector.comparison;

import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.inventory.SchemaObject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the objects of schemas apart from rows: on a source to know what exists, on a target to
 * know what was created there. Members of extensions belong to their extension. Reads only
 * catalogs. Stateless.
 */
public final class SchemaObjects {
  private static final String WANTED =
      """
      WITH wanted AS (
        SELECT oid, nspname, nspowner, nspacl FROM pg_catalog.pg_namespace
        WHERE nspname = ANY (?::text[])),
      member AS (
        SELECT classid, objid FROM pg_catalog.pg_depend
        WHERE deptype = 'e' AND refclassid = 'pg_catalog.pg_extension'::regclass),
      relation AS (
        SELECT c.oid, w.nspname, c.relname, c.relkind, c.relowner, c.relacl, c.relrowsecurity
        FROM wanted w JOIN pg_catalog.pg_class c ON c.relnamespace = w.oid
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relpersistence <> 't'
          AND (c.oid, 'pg_catalog.pg_class'::regclass) NOT IN (SELECT objid, classid FROM member)),
      function AS (
        SELECT w.nspname, p.proowner, p.proacl,
          p.proname || '(' || coalesce((
            SELECT string_agg(CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace
                THEN format_type(t.oid, NULL) ELSE t.typname END, ', ' ORDER BY a.place)
            FROM unnest(p.proargtypes) WITH ORDINALITY a (oid, place)
            JOIN pg_catalog.pg_type t ON t.oid = a.oid), '') || ')' AS name
        FROM wanted w JOIN pg_catalog.pg_proc p ON p.pronamespace = w.oid
        WHERE (p.oid, 'pg_catalog.pg_proc'::regclass) NOT IN (SELECT objid, classid FROM member))
      """;

  private static final String OBJECTS =
      WANTED
          + """
          SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED_VIEW'
              ELSE 'SEQUENCE' END AS kind, nspname, relname, '' AS name, NULL AS shape
          FROM relation WHERE relkind IN ('v', 'm', 'S')
          UNION ALL
          SELECT 'FUNCTION', nspname, NULL, name, NULL FROM function
          UNION ALL
          SELECT 'TYPE', w.nspname, NULL, t.typname, NULL
          FROM wanted w JOIN pg_catalog.pg_type t ON t.typnamespace = w.oid
          LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
          WHERE (t.typtype IN ('e', 'd', 'r') OR c.relkind = 'c')
            AND (t.oid, 'pg_catalog.pg_type'::regclass) NOT IN (SELECT objid, classid FROM member)
          UNION ALL
          SELECT 'EXTENSION', '', NULL, extname, NULL
          FROM pg_catalog.pg_extension WHERE extname <> 'plpgsql'
          UNION ALL
          SELECT 'TRIGGER', r.nspname, r.relname, g.tgname, NULL
          FROM relation r JOIN pg_catalog.pg_trigger g ON g.tgrelid = r.oid
          WHERE NOT g.tgisinternal AND g.tgparentid = 0
            AND g.tgname NOT IN ('!sluice_moved', '!sluice_moved_rows')
          UNION ALL
          SELECT 'INDEX', r.nspname, r.relname, c.relname,
            CASE WHEN i.indexprs IS NULL AND i.indpred IS NULL THEN
              m.amname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END || (
                SELECT string_agg(' ' || quote_ident(a.attname), ',' ORDER BY k.place)
                FROM unnest(i.indkey) WITH ORDINALITY k (number, place)
                JOIN pg_catalog.pg_attribute a
                  ON a.attrelid = i.indrelid AND a.attnum = k.number) END
          FROM relation r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
          JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid AND NOT c.relispartition
          JOIN pg_catalog.pg_am m ON m.oid = c.relam
          WHERE i.indisvalid
          UNION ALL
          SELECT 'CONSTRAINT', r.nspname, r.relname, k.conname,
            CASE k.contype WHEN 'f' THEN (
              SELECT 'to ' || f.relname || string_agg(' ' || quote_ident(a.attname), ','
                ORDER BY p.place)
              FROM pg_catalog.pg_class f, unnest(k.conkey) WITH ORDINALITY p (number, place)
              JOIN pg_catalog.pg_attribute a
                ON a.attrelid = k.conrelid AND a.attnum = p.number
              WHERE f.oid = k.confrelid GROUP BY f.relname) END
          FROM relation r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid
          WHERE k.contype IN ('f', 'c') AND k.conparentid = 0 AND k.conislocal
          UNION ALL
          SELECT 'STATISTICS', r.nspname, r.relname, s.stxname, s.stxkind::text || (
            SELECT string_agg(' ' || quote_ident(a.attname), ',' ORDER BY k.place)
            FROM unnest(s.stxkeys) WITH ORDINALITY k (number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = s.stxrelid AND a.attnum = k.number)
          FROM relation r JOIN pg_catalog.pg_statistic_ext s ON s.stxrelid = r.oid
          UNION ALL
          SELECT 'POLICY', r.nspname, r.relname, p.polname, NULL
          FROM relation r JOIN pg_catalog.pg_policy p ON p.polrelid = r.oid
          UNION ALL
          SELECT 'ROW_SECURITY', nspname, relname, 'row security', NULL
          FROM relation WHERE relrowsecurity
          UNION ALL
          SELECT 'RULE', r.nspname, r.relname, w.rulename, NULL
          FROM relation r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid
          WHERE w.rulename <> '_RETURN'
          UNION ALL
          SELECT 'OWNER', nspname, relname, pg_get_userbyid(relowner), NULL
          FROM relation WHERE relkind IN ('r', 'p', 'v', 'm')
          """;

  /** An owner's rights are included only on request, since an owner has them implicitly. */
  private static final String GRANTS =
      WANTED
          + """
          , held AS (
            SELECT r.nspname, r.relname, r.relowner AS owner, '' AS suffix, g.*
            FROM relation r, aclexplode(coalesce(r.relacl,
              acldefault(CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", r.relowner))) g
            UNION ALL
            SELECT r.nspname, r.relname, r.relowner, ' (' || a.attname || ')', g.*
            FROM relation r JOIN pg_catalog.pg_attribute a
              ON a.attrelid = r.oid AND a.attacl IS NOT NULL AND NOT a.attisdropped,
              aclexplode(a.attacl) g
            UNION ALL
            SELECT f.nspname, NULL, f.proowner, ' on ' || f.name, g.*
            FROM function f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) g
            UNION ALL
            SELECT w.nspname, NULL, w.nspowner, ' on the schema', g.*
            FROM wanted w, aclexplode(coalesce(w.nspacl, acldefault('n', w.nspowner))) g)
          SELECT 'GRANT', h.nspname, h.relname, h.privilege_type || h.suffix || ' to '
            || CASE h.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(h.grantee) END, NULL
          FROM held h
          WHERE ? OR h.grantee <> h.owner
            AND h.grantee <> (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)
          """;

  private SchemaObjects() {}

  /**
   * The objects of the schemas, and the extensions of the database.
   *
   * @param impliedRights whether the implicit rights of owners, and those of this user, count as
   *     grants; false for explicit grants only
   */
  public static Set<SchemaObject> read(
      Connection connection, Collection<String> schemas, boolean impliedRights)
      throws SQLException {
    Set<SchemaObject> objects = new LinkedHashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(OBJECTS)) {
      statement.setArray(1, connection.createArrayOf("text", schemas.toArray()));
      collect(statement, objects);
    }
    try (PreparedStatement statement = connection.prepareStatement(GRANTS)) {
      statement.setArray(1, connection.createArrayOf("text", schemas.toArray()));
      statement.setBoolean(2, impliedRights);
      collect(statement, objects);
    }
    return objects;
  }

  private static void collect(PreparedStatement statement, Set<SchemaObject> objects)
      throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        objects.add(
            new SchemaObject(
                ObjectKind.valueOf(rows.getString(1)),
                rows.getString(2),
                Optional.ofNullable(rows.getString(3)),
                rows.getString(4),
                Optional.ofNullable(rows.getString(5))));
      }
    }
  }
}
