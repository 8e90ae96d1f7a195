package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.util.Collection;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Queries for what has become of the tables that cutovers have closed, and of those that the way
 * back has made. Immutable.
 *
 * @param carried the table of what the way back did, or what stands for it where there is none
 */
record ClosedTablesQueries(String carried) {

  /**
   * The state of a trigger is {@code A} if it fires always, also in the replica role; empty if it
   * is not there as it was made. A partition that came later has only its root's row trigger.
   */
  private static final String STATES =
      """
      WITH RECURSIVE decided AS (
        SELECT cutover, moved_to, decided_at, relations FROM sluice_moved.decision WHERE moved),
      last AS (
        SELECT cutover, moved_to, decided_at FROM decided ORDER BY decided_at DESC LIMIT 1),
      closed AS (
        SELECT unnest(relations) AS oid FROM decided
        UNION
        SELECT k.relation FROM $carried k JOIN decided ON decided.cutover = k.cutover
        WHERE k.table_name IS NOT NULL),
      tree (oid) AS (
        SELECT oid FROM closed
        UNION
        SELECT i.inhrelid FROM tree JOIN pg_catalog.pg_inherits i ON i.inhparent = tree.oid)
      SELECT n.nspname, c.relname, coalesce(s.tgenabled::text, ''), coalesce(r.tgenabled::text, ''),
        c.relkind = 'p' AND NOT c.relispartition,
        c.relispartition AND c.oid NOT IN (SELECT oid FROM closed),
        last.moved_to,
        pg_catalog.to_char(last.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
        last.cutover
      FROM last CROSS JOIN tree
      JOIN pg_catalog.pg_class c ON c.oid = tree.oid AND c.relkind IN ('r', 'p')
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_catalog.pg_trigger s ON s.tgrelid = c.oid AND s.tgname = '!sluice_moved'
        AND s.tgtype = 62 AND s.tgqual IS NULL
        AND s.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()')
      LEFT JOIN pg_catalog.pg_trigger r ON r.tgrelid = c.oid AND r.tgname = '!sluice_moved_rows'
        AND r.tgtype = 31 AND r.tgqual IS NULL
        AND r.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()')
      ORDER BY 1, 2""";

  /**
   * Closed tables whose name has no table any more, but for what the way back did, or another one
   * that is open.
   */
  private static final String NOT_THE_SAME =
      """
      SELECT t.schema_name, t.table_name, c.oid IS NOT NULL
      FROM unnest(%s::text[], %s::text[]) AS t (schema_name, table_name)
      LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema_name
      LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.table_name
      WHERE c.oid IS NULL AND NOT EXISTS (
          SELECT FROM $carried k
          JOIN sluice_moved.decision d ON d.cutover = k.cutover AND d.moved
          WHERE k.was_schema = t.schema_name AND k.was_name = t.table_name)
        OR c.oid IS NOT NULL AND NOT EXISTS (
          SELECT FROM sluice_moved.decision d WHERE d.moved AND c.oid = ANY (d.relations))
        AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_trigger s
          WHERE s.tgrelid = c.oid AND s.tgname = '!sluice_moved' AND s.tgenabled = 'A'
            AND s.tgtype = 62 AND s.tgqual IS NULL
            AND s.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()'))
      ORDER BY 1, 2""";

  /** Tables that the way back made or renamed, and that somebody else dropped or renamed since. */
  private static final String CARRIED_NOT_THE_SAME =
      """
      SELECT k.schema_name, k.table_name
      FROM $carried k
      JOIN sluice_moved.decision d ON d.cutover = k.cutover AND d.moved
      LEFT JOIN pg_catalog.pg_class c ON c.oid = k.relation
      LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE k.table_name IS NOT NULL
        AND (k.schema_name, k.table_name) IS DISTINCT FROM (n.nspname::text, c.relname::text)
      ORDER BY 1, 2""";

  private static final String HAS_CARRIED =
      "SELECT pg_catalog.to_regclass('sluice_moved.carried') IS NOT NULL";

  /** Of a cutover that an earlier release has decided. */
  private static final String NOTHING_CARRIED =
      "(SELECT NULL::uuid AS cutover, NULL::oid AS relation, NULL::text AS was_schema,"
          + " NULL::text AS was_name, NULL::text AS schema_name, NULL::text AS table_name"
          + " WHERE false)";

  static ClosedTablesQueries of(LockSession session) throws SQLException {
    boolean noted = session.run(HAS_CARRIED).get(0).get(0).equals("t");
    return new ClosedTablesQueries(noted ? "sluice_moved.carried" : NOTHING_CARRIED);
  }

  /** The triggers of each closed table. */
  String states() {
    return STATES.replace("$carried", carried);
  }

  /** Those of the tables that are not there under their name, and whether another one is. */
  String notTheSame(Collection<TableId> tables) {
    return NOT_THE_SAME
        .replace("$carried", carried)
        .formatted(array(tables, TableId::schema), array(tables, TableId::name));
  }

  String carriedNotTheSame() {
    return CARRIED_NOT_THE_SAME.replace("$carried", carried);
  }

  private static String array(Collection<TableId> tables, Function<TableId, String> part) {
    return tables.stream()
        .map(part)
        .map(SqlLiteral::of)
        .collect(Collectors.joining(",", "ARRAY[", "]"));
  }
}
