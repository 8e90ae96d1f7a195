package dev.sluice.connector.postgres.writers;

/*
 * It asks no list of tables: what has the triggers that refuse writers is closed, also a table that came later, and
 * also in a copy of the database that was made from a dump. New partitions may come: jobs that make them for all
 * tables must not fail for those that are not closed.
 */
/**
 * Event triggers by which closed tables refuse ALTER, RENAME and DROP, for all but the role of the
 * way back. They are made where the task's user may; all cutovers of a database share them.
 * Stateless.
 */
final class DdlRefusal {
  static final String FUNCTION = "sluice_moved.refuse_ddl()";

  /** What ends in {@code ddl_command_end}. */
  static final String END_TRIGGER = "sluice_moved_end";

  static final String DROP_TRIGGER = "sluice_moved_drop";

  /** Who sets it means it; a session of Sluice has it. */
  static final String ALLOW = "SET sluice_moved.ddl = 'allowed'";

  static final String ALLOW_NO_MORE = "RESET sluice_moved.ddl";

  /** A query for one row: whether it is there. */
  static final String IS_THERE =
      "SELECT pg_catalog.to_regprocedure('" + FUNCTION + "') IS NOT NULL";

  /**
   * Statements of a block that make it, or leave everything as it is where that is refused. What is
   * there stays as somebody has set it.
   */
  private static final String MAKE =
      """
      BEGIN
        CREATE OR REPLACE FUNCTION sluice_moved.refuse_ddl() RETURNS event_trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
        AS $function$
        DECLARE
          closed oid;
          named text;
          known record;
        BEGIN
          BEGIN
            IF current_setting('sluice_moved.ddl', true) = 'allowed' OR EXISTS (
                SELECT FROM sluice_moved.decision d
                WHERE d.moved AND d.reverse_role = session_user) THEN
              RETURN;
            END IF;
            IF tg_event = 'sql_drop' THEN
              SELECT d.objid, d.object_identity INTO closed, named
              FROM pg_event_trigger_dropped_objects() d
              JOIN pg_event_trigger_dropped_objects() g
                ON g.address_names[1:2] = d.address_names AND g.object_type = 'trigger'
                AND g.address_names[3] IN ('!sluice_moved', '!sluice_moved_rows')
              WHERE d.object_type = 'table'
              UNION ALL
              SELECT d.objid, d.object_identity FROM pg_event_trigger_dropped_objects() d
              JOIN pg_trigger g ON g.tgrelid = d.objid
                AND g.tgfoid = to_regprocedure('sluice_moved.refuse()')
              WHERE d.object_type = 'table column'
              LIMIT 1;
            -- The first half of a concurrent DETACH is committed before its end.
            ELSIF NOT (current_query() ~* 'detach'
                AND current_query() ~* 'concurrently|finalize') THEN
              SELECT t.oid, format('%I.%I', n.nspname, t.relname) INTO closed, named
              FROM pg_event_trigger_ddl_commands() c
              JOIN pg_class t
                ON c.classid = 'pg_class'::regclass AND t.oid = c.objid
                OR c.classid = 'pg_namespace'::regclass AND t.relnamespace = c.objid
              JOIN pg_namespace n ON n.oid = t.relnamespace
              JOIN pg_trigger g ON g.tgrelid = t.oid
                AND g.tgfoid = to_regprocedure('sluice_moved.refuse()')
              LIMIT 1;
            END IF;
            IF closed IS NULL THEN
              RETURN;
            END IF;
            SELECT d.cutover, coalesce(d.moved_to, 'another place') AS moved_to,
              to_char(d.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') AS decided
            INTO known FROM sluice_moved.decision d WHERE d.moved
            ORDER BY closed = ANY (d.relations) DESC, d.decided_at DESC LIMIT 1;
            IF NOT FOUND THEN
              RETURN;
            END IF;
          EXCEPTION WHEN OTHERS THEN
            -- It must not be in the way of what has nothing to do with it.
            RAISE WARNING 'sluice_moved: %', SQLERRM;
            RETURN;
          END;
          RAISE EXCEPTION USING ERRCODE = '$refused',
            MESSAGE = format('%s on %s is refused: this database was moved to %s on %s by cutover %s',
              tg_tag, named, known.moved_to, known.decided, known.cutover),
            HINT = format('Connect to %s. Nothing is to be changed here any more.', known.moved_to);
        END
        $function$;
        REVOKE ALL ON FUNCTION sluice_moved.refuse_ddl() FROM PUBLIC;
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger e
            WHERE e.evtfoid = 'sluice_moved.refuse_ddl()'::pg_catalog.regprocedure
              AND e.evtname = '$end') THEN
          CREATE EVENT TRIGGER $end ON ddl_command_end
            WHEN TAG IN ('ALTER TABLE', 'ALTER SCHEMA')
            EXECUTE FUNCTION sluice_moved.refuse_ddl();
          ALTER EVENT TRIGGER $end ENABLE ALWAYS;
        END IF;
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger e
            WHERE e.evtfoid = 'sluice_moved.refuse_ddl()'::pg_catalog.regprocedure
              AND e.evtname = '$drop') THEN
          CREATE EVENT TRIGGER $drop ON sql_drop EXECUTE FUNCTION sluice_moved.refuse_ddl();
          ALTER EVENT TRIGGER $drop ENABLE ALWAYS;
        END IF;
      EXCEPTION WHEN OTHERS THEN
        -- Only superusers may, and whom a managed service lets do it.
        NULL;
      END;
      """;

  /** Statements of a block that remove it once nothing is closed any more. */
  static final String REMOVE =
      """
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger g
                     WHERE g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()')) THEN
        -- Nothing but event triggers can depend on it.
        DROP FUNCTION IF EXISTS sluice_moved.refuse_ddl() CASCADE;
      END IF;
      """;

  /**
   * Its event triggers, with the state of each, empty if it is not there; no rows where it was not
   * made. From version 17 on event triggers can be switched off.
   */
  static final String STATES =
      """
      SELECT made.name, coalesce(e.evtenabled::text, ''),
        coalesce(pg_catalog.current_setting('event_triggers', true), 'on')
      FROM (VALUES ('$end', 'ddl_command_end'), ('$drop', 'sql_drop')) AS made (name, event)
      LEFT JOIN pg_catalog.pg_event_trigger e ON e.evtname = made.name AND e.evtevent = made.event
        AND e.evtfoid = pg_catalog.to_regprocedure('sluice_moved.refuse_ddl()')
      WHERE pg_catalog.to_regprocedure('sluice_moved.refuse_ddl()') IS NOT NULL
        AND EXISTS (SELECT FROM sluice_moved.decision d WHERE d.moved)
      ORDER BY 1"""
          .replace("$end", END_TRIGGER)
          .replace("$drop", DROP_TRIGGER);

  private DdlRefusal() {}

  static String make() {
    return MAKE.replace("$refused", MovedSchema.REFUSED)
        .replace("$end", END_TRIGGER)
        .replace("$drop", DROP_TRIGGER);
  }

  /** The statement that makes one of the event triggers again. */
  static String creation(String trigger) {
    return "CREATE EVENT TRIGGER %s ON %s EXECUTE FUNCTION %s"
        .formatted(
            trigger,
            trigger.equals(END_TRIGGER)
                ? "ddl_command_end WHEN TAG IN ('ALTER TABLE', 'ALTER SCHEMA')"
                : "sql_drop",
            FUNCTION);
  }
}
