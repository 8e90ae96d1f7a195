package dev.sluice.connector.comparison;

/**
 * Queries on the catalog. The parameters of each are schema and name of a table. Stateless.
 *
 * <p>The state of a table is read twice by the same query: under the snapshot, and then as
 * committed now, while a lock keeps it unchanged. If the two differ, the table was truncated,
 * rewritten or altered in between, and the snapshot does not show its rows as they were. Some
 * servers always read their current catalog, also under a snapshot. There only a change during the
 * read is noticed.
 */
final class CatalogQueries {
  /**
   * The table and its partitions. Tables that only inherit are not included: their rows are their
   * own.
   */
  private static final String TREE =
      """
      WITH RECURSIVE tree (oid, kind, link, root) AS (
        SELECT c.oid, c.relkind, '', true
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = CAST(? AS text) AND c.relname = CAST(? AS text)
          AND c.relkind IN ('r', 'p')
        UNION ALL
        SELECT c.oid, c.relkind, coalesce(pg_catalog.to_jsonb(i) ->> 'inhdetachpending', ''), false
        FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.oid AND t.kind = 'p'
        JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid)
      """;

  /** The pages of the largest partition. */
  static final String PAGES =
      """
      SELECT coalesce(max(pg_relation_size(relid)), 0) / current_setting('block_size')::int8
      FROM pg_partition_tree(CAST(? AS regclass)) WHERE isleaf
      """;

  /**
   * One text with file nodes, columns and partitions, and all labels of enums, whose renaming also
   * changes old rows. NULL if there is no such table.
   */
  static final String STATE =
      TREE
          + """
          SELECT pg_catalog.concat_ws('/', count(*),
            sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(',', c.oid, c.relfilenode,
              c.reltoastrelid, c.relkind, t.link,
              (SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', a.attnum, a.attname,
                 a.atttypid, a.atttypmod, a.attcollation, a.attisdropped, a.attgenerated,
                 a.atthasmissing), ',' ORDER BY a.attnum)
               FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)), 0)),
            (SELECT sum(pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', e.oid, e.enumlabel,
               e.enumsortorder), 0)) FROM pg_catalog.pg_enum e))
          FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.oid
          HAVING count(*) > 0
          """;

  /** Kind, size in bytes, whether values are stored outside of rows, rights, row security. */
  static final String TABLE =
      TREE
          + """
          SELECT bool_or(t.kind = 'p'), sum(pg_catalog.pg_table_size(t.oid)),
            bool_or(pg_catalog.pg_relation_size(nullif(c.reltoastrelid, 0)) > 0),
            bool_and(NOT t.root OR pg_catalog.has_table_privilege(t.oid, 'SELECT')),
            bool_or(t.root AND pg_catalog.row_security_active(t.oid)), current_user,
            bool_or(t.kind = 'f')
          FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.oid
          HAVING count(*) > 0
          """;

  /** The columns in order, each with its bare type and its collation. */
  static final String COLUMNS =
      """
      SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
        pg_catalog.format_type(bare.oid, bare.typmod), pg_catalog.format_type(bare.oid, -1),
        CASE WHEN bt.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
             THEN bt.typname ELSE '' END,
        bt.typnamespace = 'pg_catalog'::pg_catalog.regnamespace, bt.typlen = -1,
        a.attgenerated <> '', a.attcollation,
        coll.collname, coll.collprovider,
        coalesce(pg_catalog.to_jsonb(coll) ->> 'colllocale',
          pg_catalog.to_jsonb(coll) ->> 'colliculocale', coll.collcollate),
        pg_catalog.to_jsonb(coll) ->> 'collicurules', coll.collisdeterministic, coll.collversion,
        CASE WHEN coll.oid <> 100
             THEN pg_catalog.pg_collation_actual_version(coll.oid) END,
        NOT a.attnotnull
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN LATERAL (
        WITH RECURSIVE below (oid, typmod, depth) AS (
          SELECT a.atttypid, a.atttypmod, 0
          UNION ALL
          SELECT d.typbasetype, d.typtypmod, b.depth + 1
          FROM below b JOIN pg_catalog.pg_type d ON d.oid = b.oid AND d.typtype = 'd')
        SELECT oid, typmod FROM below ORDER BY depth DESC LIMIT 1) bare ON true
      JOIN pg_catalog.pg_type bt ON bt.oid = bare.oid
      LEFT JOIN pg_catalog.pg_collation coll ON coll.oid = a.attcollation
      WHERE n.nspname = CAST(? AS text) AND c.relname = CAST(? AS text)
        AND c.relkind IN ('r', 'p')
      ORDER BY a.attnum
      """;

  /**
   * The columns of each unique index over columns only, in the index's order; primary key first.
   */
  static final String UNIQUE_INDEXES =
      """
      SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.position)
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
      CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::int2[]) WITH ORDINALITY k (number, position)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
      WHERE n.nspname = CAST(? AS text) AND c.relname = CAST(? AS text)
        AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
        AND k.position <= i.indnkeyatts
      GROUP BY i.indexrelid, i.indisprimary
      ORDER BY i.indisprimary DESC, i.indexrelid
      """;

  /** The columns by whose hashes a unique index orders its rows, as YugabyteDB marks them. */
  static final String HASHED_COLUMNS =
      """
      SELECT DISTINCT a.attname
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
      CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indoption::int2[]) k (number, option)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
      WHERE n.nspname = CAST(? AS text) AND c.relname = CAST(? AS text)
        AND i.indisunique AND k.option & 4 <> 0
      """;

  /** The columns of the primary key. */
  static final String PRIMARY_KEY =
      """
      SELECT a.attname
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary
      CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::int2[]) WITH ORDINALITY k (number, position)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
      WHERE n.nspname = CAST(? AS text) AND c.relname = CAST(? AS text)
        AND k.position <= i.indnkeyatts
      """;

  /**
   * The database's encoding, whether a character of it is one byte, and its collation, whose
   * provider and version older servers do not have.
   */
  static final String DATABASE =
      """
      SELECT pg_catalog.pg_encoding_to_char(d.encoding),
        pg_catalog.pg_encoding_max_length(d.encoding) = 1,
        coalesce(pg_catalog.to_jsonb(d) ->> 'datlocprovider', 'c'),
        coalesce(pg_catalog.to_jsonb(d) ->> 'datlocale',
          pg_catalog.to_jsonb(d) ->> 'daticulocale', d.datcollate),
        pg_catalog.to_jsonb(d) ->> 'daticurules', pg_catalog.to_jsonb(d) ->> 'datcollversion',
        d.oid, pg_catalog.jsonb_exists(pg_catalog.to_jsonb(d), 'datcollversion')
      FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
      """;

  /** Only servers that record a version have the function. */
  static final String DATABASE_VERSION =
      "SELECT pg_catalog.pg_database_collation_actual_version(CAST(? AS oid))";

  private CatalogQueries() {}
}
