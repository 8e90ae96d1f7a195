package dev.sluice.connector.postgres.writers;

import dev.sluice.connector.postgres.server.SqlLiteral;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/*
 * The message is in the triggers' arguments: an open transaction with an older snapshot would not see a row. The
 * table can be read by everybody, so that a dump by an ordinary role works, and the function needs no rights.
 */
/**
 * What a decided cutover leaves on the source: schema {@code sluice_moved} with the decisions and
 * the function of the triggers that refuse writers. The task's user owns all of it. Stateless.
 */
final class MovedSchema {
  /** Its name comes before others', so that it refuses before they do something. */
  static final String TRIGGER = "!sluice_moved";

  /** Fires for each row, and is inherited by partitions that come later. */
  static final String ROW_TRIGGER = "!sluice_moved_rows";

  /** What refused writers get; no driver retries it. */
  static final String REFUSED = "SM001";

  /** Raised if the schema belongs to somebody else. */
  static final String FOREIGN = "SM002";

  /** Raised if the time is over in which the writers may be stopped. */
  static final String TOO_LATE = "SM003";

  /** What makes the schema excludes each other by it. */
  private static final long MAKING = 0x736c756963655f6dL;

  private static final String MAKE =
      """
      PERFORM pg_catalog.pg_advisory_xact_lock($making);
      IF pg_catalog.to_regnamespace('sluice_moved') IS NULL THEN
        CREATE SCHEMA sluice_moved;
        GRANT USAGE ON SCHEMA sluice_moved TO PUBLIC;
      END IF;
      IF EXISTS (
          SELECT FROM pg_catalog.pg_namespace n, pg_catalog.pg_roles me
          WHERE n.nspname = 'sluice_moved' AND me.rolname = current_user AND (
            n.nspowner <> me.oid
            OR EXISTS (SELECT FROM pg_catalog.pg_class c
              WHERE c.relnamespace = n.oid AND c.relowner <> me.oid)
            OR EXISTS (SELECT FROM pg_catalog.pg_proc p
              WHERE p.pronamespace = n.oid AND p.proowner <> me.oid))) THEN
        RAISE EXCEPTION 'schema sluice_moved, or something in it, belongs to another role'
          USING ERRCODE = '$foreign';
      END IF;
      IF pg_catalog.to_regclass('sluice_moved.decision') IS NULL THEN
        CREATE TABLE sluice_moved.decision (
          cutover uuid PRIMARY KEY,
          -- False: it was given up, and can never be decided any more.
          moved boolean NOT NULL,
          decided_at timestamptz NOT NULL,
          moved_to text,
          -- The only role that may write to the closed tables.
          reverse_role text,
          -- The closed tables.
          relations oid[] NOT NULL);
        GRANT SELECT ON sluice_moved.decision TO PUBLIC;
      END IF;
      IF pg_catalog.to_regclass('sluice_moved.carried') IS NULL THEN
        -- Tables that the way back has made, renamed and dropped, noted by its role.
        CREATE TABLE sluice_moved.carried (
          cutover uuid NOT NULL,
          relation oid NOT NULL,
          -- Its name when it was closed.
          was_schema text NOT NULL,
          was_name text NOT NULL,
          -- Its name since; NULL: it was dropped.
          schema_name text,
          table_name text,
          PRIMARY KEY (cutover, relation));
        GRANT SELECT ON sluice_moved.carried TO PUBLIC;
      END IF;
      """;

  private static final String REFUSE =
      """
      CREATE OR REPLACE FUNCTION sluice_moved.refuse() RETURNS trigger
      LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $function$
      BEGIN
        IF EXISTS (SELECT FROM sluice_moved.decision
                   WHERE moved AND reverse_role = session_user
                   AND cutover::text = TG_ARGV[2]) THEN
          IF TG_LEVEL = 'STATEMENT' THEN
            RETURN NULL;
          ELSIF TG_OP = 'DELETE' THEN
            RETURN OLD;
          END IF;
          RETURN NEW;
        END IF;
        RAISE EXCEPTION USING ERRCODE = '$refused',
          MESSAGE = format('%s on %I.%I is refused: this database was moved to %s on %s by cutover %s',
            TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_ARGV[0], TG_ARGV[1], TG_ARGV[2]),
          HINT = format('Connect the application to %s. Nothing is to be written here any more.',
            TG_ARGV[0]);
      END
      $function$;
      REVOKE ALL ON FUNCTION sluice_moved.refuse() FROM PUBLIC;
      """;

  /** It closes the tables that it makes later with the same function, and notes what it does. */
  private static final String LET_CLOSE =
      """
      IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = $reverse_role) THEN
        EXECUTE pg_catalog.format(
          'GRANT EXECUTE ON FUNCTION sluice_moved.refuse() TO %I', $reverse_role);
        EXECUTE pg_catalog.format(
          'GRANT INSERT, UPDATE ON sluice_moved.carried TO %I', $reverse_role);
      END IF;
      """;

  private static final String TRIGGERS =
      """
      arguments := pg_catalog.format('%L, %L, %L', $moved_to, pg_catalog.to_char(
        pg_catalog.clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), $cutover);
      FOREACH closed IN ARRAY $tables LOOP
        EXECUTE pg_catalog.format('CREATE TRIGGER "!sluice_moved"'
          ' BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s FOR EACH STATEMENT'
          ' EXECUTE FUNCTION sluice_moved.refuse(%s)', closed::pg_catalog.regclass, arguments);
        EXECUTE pg_catalog.format('ALTER TABLE ONLY %s ENABLE ALWAYS TRIGGER "!sluice_moved"',
          closed::pg_catalog.regclass);
      END LOOP;
      FOREACH closed IN ARRAY $roots LOOP
        EXECUTE pg_catalog.format('CREATE TRIGGER "!sluice_moved_rows"'
          ' BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW'
          ' EXECUTE FUNCTION sluice_moved.refuse(%s)', closed::pg_catalog.regclass, arguments);
        EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "!sluice_moved_rows"',
          closed::pg_catalog.regclass);
      END LOOP;
      """;

  private static final String IN_TIME =
      """
      IF pg_catalog.clock_timestamp() >= pg_catalog.to_timestamp($deadline / 1000000.0) THEN
        RAISE EXCEPTION 'the time is over in which the writers may be stopped'
          USING ERRCODE = '$too_late';
      END IF;
      """;

  private static final String DECIDE =
      """
      INSERT INTO sluice_moved.decision
        (cutover, moved, decided_at, moved_to, reverse_role, relations)
      VALUES ($cutover, true, pg_catalog.clock_timestamp(), $moved_to, $reverse_role, $tables);
      """;

  /** If that cutover is decided already, it stays so. */
  private static final String GIVE_UP =
      """
      INSERT INTO sluice_moved.decision (cutover, moved, decided_at, relations)
      VALUES ($cutover, false, pg_catalog.clock_timestamp(), '{}')
      ON CONFLICT (cutover) DO NOTHING;
      """;

  private static final String REMOVE =
      """
      PERFORM pg_catalog.pg_advisory_xact_lock($making);
      IF pg_catalog.to_regclass('sluice_moved.decision') IS NOT NULL THEN
        -- What was given up long ago has no session any more that could still decide it.
        DELETE FROM sluice_moved.decision WHERE cutover = ANY ($cutovers)
          OR NOT moved AND decided_at < pg_catalog.clock_timestamp() - interval '15 minutes';
      END IF;
      IF pg_catalog.to_regclass('sluice_moved.carried') IS NOT NULL THEN
        DELETE FROM sluice_moved.carried WHERE cutover = ANY ($cutovers);
      END IF;
      $refusal
      IF pg_catalog.to_regclass('sluice_moved.decision') IS NOT NULL THEN
        IF EXISTS (SELECT FROM sluice_moved.decision) THEN
          RETURN;
        END IF;
      END IF;
      IF EXISTS (SELECT FROM pg_catalog.pg_trigger g
                 WHERE g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()')) THEN
        RETURN;
      END IF;
      DROP FUNCTION IF EXISTS sluice_moved.refuse();
      DROP TABLE IF EXISTS sluice_moved.decision, sluice_moved.carried;
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                     JOIN pg_catalog.pg_namespace n ON n.oid = d.refobjid
                     WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
                       AND n.nspname = 'sluice_moved') THEN
        DROP SCHEMA IF EXISTS sluice_moved;
      END IF;
      """;

  private MovedSchema() {}

  /** The statement that forgets cutovers, and removes the schema when nothing else is in it. */
  static String remove(List<UUID> cutovers) {
    return block(
        REMOVE
            .replace("$making", Long.toString(MAKING))
            .replace("$refusal", DdlRefusal.REMOVE)
            .replace(
                "$cutovers",
                cutovers.stream()
                    .map(UUID::toString)
                    .collect(Collectors.joining(",", "'{", "}'::uuid[]"))));
  }

  /**
   * The statement that creates the schema, where it is missing, the triggers, and where this user
   * may also those that refuse DDL.
   */
  static String prepare(
      WriterLocks.Held held, UUID cutover, String movedTo, Optional<String> reverseRole) {
    TableTree tree = held.tree();
    return block(
        inTime(held.deadline())
            + make()
            + REFUSE.replace("$refused", REFUSED)
            + reverseRole
                .map(role -> LET_CLOSE.replace("$reverse_role", SqlLiteral.of(role)))
                .orElse("")
            + TRIGGERS
                .replace("$tables", tree.oids())
                .replace("$roots", tree.partitionedRoots())
                .replace("$cutover", SqlLiteral.of(cutover.toString()))
                .replace("$moved_to", SqlLiteral.of(movedTo))
            + DdlRefusal.make());
  }

  /** The statement that records that the cutover is decided. */
  static String decide(
      WriterLocks.Held held, UUID cutover, String movedTo, Optional<String> reverseRole) {
    return block(
        inTime(held.deadline())
            + DECIDE
                .replace("$tables", held.tree().oids())
                .replace("$reverse_role", reverseRole.map(SqlLiteral::of).orElse("NULL"))
                .replace("$cutover", SqlLiteral.of(cutover.toString()))
                .replace("$moved_to", SqlLiteral.of(movedTo)));
  }

  /** The statement that records that the cutover never is to be decided. */
  static String giveUp(UUID cutover) {
    return block(make() + GIVE_UP.replace("$cutover", SqlLiteral.of(cutover.toString())));
  }

  private static String make() {
    return MAKE.replace("$making", Long.toString(MAKING)).replace("$foreign", FOREIGN);
  }

  private static String inTime(long deadline) {
    return IN_TIME.replace("$deadline", Long.toString(deadline)).replace("$too_late", TOO_LATE);
  }

  private static String block(String body) {
    return "DO " + SqlLiteral.of("DECLARE closed oid; arguments text; BEGIN\n" + body + "END");
  }
}
