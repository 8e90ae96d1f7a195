package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the role of a way back does beside its DDL on tables that a cutover has closed: it closes
 * those that it makes, and notes what it made, renamed and dropped, for who watches them. Each
 * statement does nothing for any other role. As {@code MovedSchema} of the source's connector has
 * made it. Stateless.
 */
final class MovedTableStatements {
  /** The decision names the role, so nothing is passed through the sink. */
  private static final String OF_WAY_BACK =
      """
      DECLARE
        made oid;
        moved record;
        arguments text;
      BEGIN
        IF pg_catalog.to_regclass('sluice_moved.decision') IS NULL THEN
          RETURN;
        END IF;
        SELECT d.cutover, d.moved_to, d.decided_at, d.relations INTO moved FROM sluice_moved.decision d
          WHERE d.moved AND d.reverse_role = session_user ORDER BY d.decided_at DESC LIMIT 1;
        IF NOT FOUND THEN
          RETURN;
        END IF;
      """;

  /** The function lets that role pass. */
  private static final String CLOSE =
      """
        made := $table::pg_catalog.regclass;
        arguments := pg_catalog.format('%L, %L, %L', moved.moved_to, pg_catalog.to_char(
          moved.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), moved.cutover);
        EXECUTE pg_catalog.format('CREATE TRIGGER "!sluice_moved"'
          ' BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s FOR EACH STATEMENT'
          ' EXECUTE FUNCTION sluice_moved.refuse(%s)', made::pg_catalog.regclass, arguments);
        EXECUTE pg_catalog.format('ALTER TABLE ONLY %s ENABLE ALWAYS TRIGGER "!sluice_moved"',
          made::pg_catalog.regclass);
        IF (SELECT c.relkind = 'p' AND NOT c.relispartition
            FROM pg_catalog.pg_class c WHERE c.oid = made) THEN
          EXECUTE pg_catalog.format('CREATE TRIGGER "!sluice_moved_rows"'
            ' BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW'
            ' EXECUTE FUNCTION sluice_moved.refuse(%s)', made::pg_catalog.regclass, arguments);
          EXECUTE pg_catalog.format(
            'ALTER TABLE %s ENABLE ALWAYS TRIGGER "!sluice_moved_rows"',
            made::pg_catalog.regclass);
        END IF;
      """;

  /** A cutover that an earlier release has decided has left no place for notes. */
  private static final String CAN_NOTE =
      """
        IF pg_catalog.to_regclass('sluice_moved.carried') IS NULL
            OR NOT pg_catalog.has_table_privilege('sluice_moved.carried', 'INSERT')
            OR NOT pg_catalog.has_table_privilege('sluice_moved.carried', 'UPDATE') THEN
          RETURN;
        END IF;
      """;

  private static final String NOTE_PRESENT =
      """
        INSERT INTO sluice_moved.carried
            (cutover, relation, was_schema, was_name, schema_name, table_name)
          SELECT moved.cutover, c.oid, $was_schema, $was_name, n.nspname, c.relname
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE c.oid = $table::pg_catalog.regclass AND (c.oid = ANY (moved.relations) OR EXISTS (
            SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid
              AND g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()')))
          ON CONFLICT (cutover, relation) DO UPDATE
            SET schema_name = excluded.schema_name, table_name = excluded.table_name;
      """;

  /** With their partitions, which are dropped with them. */
  private static final String NOTE_DROPPED =
      """
        WITH RECURSIVE tree (oid) AS (
          SELECT pg_catalog.to_regclass(named)::oid FROM pg_catalog.unnest($tables) AS named
          UNION
          SELECT i.inhrelid FROM tree JOIN pg_catalog.pg_inherits i ON i.inhparent = tree.oid)
        INSERT INTO sluice_moved.carried (cutover, relation, was_schema, was_name)
          SELECT moved.cutover, c.oid, n.nspname, c.relname
          FROM tree JOIN pg_catalog.pg_class c ON c.oid = tree.oid
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE c.oid = ANY (moved.relations) OR EXISTS (
            SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid
              AND g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()'))
          ON CONFLICT (cutover, relation) DO UPDATE SET schema_name = NULL, table_name = NULL;
      """;

  private MovedTableStatements() {}

  /** Closes a table that was made just now, and notes it. */
  static String close(TableId table) {
    return block(CLOSE.replace("$table", name(table)) + notePresent(table, table));
  }

  /** Notes the new name of a table, after it was renamed. */
  static String noteRenamed(TableId was, TableId now) {
    return block(notePresent(was, now));
  }

  /** Notes tables that are to be dropped in this transaction. */
  static String noteDropped(List<TableId> tables) {
    return block(
        CAN_NOTE
            + NOTE_DROPPED.replace(
                "$tables",
                tables.stream()
                    .map(MovedTableStatements::name)
                    .collect(Collectors.joining(", ", "ARRAY[", "]::text[]"))));
  }

  private static String notePresent(TableId was, TableId now) {
    return CAN_NOTE
        + NOTE_PRESENT
            .replace("$table", name(now))
            .replace("$was_schema", PostgresDdlStatements.literal(was.schema()))
            .replace("$was_name", PostgresDdlStatements.literal(was.name()));
  }

  private static String name(TableId table) {
    return PostgresDdlStatements.literal(table.quoted());
  }

  private static String block(String body) {
    return "DO " + PostgresDdlStatements.literal(OF_WAY_BACK + body + "END");
  }
}
