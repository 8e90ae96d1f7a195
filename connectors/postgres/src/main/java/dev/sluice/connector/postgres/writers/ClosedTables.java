package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Looks whether the tables of decided cutovers still refuse writers. Immutable, threadsafe. */
record ClosedTables(SourceServer server) {
  private static final Duration LIMIT = Duration.ofSeconds(20);

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
      closed AS (SELECT DISTINCT unnest(relations) AS oid FROM decided),
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

  /** Closed tables whose name has no table any more, or another one that is open. */
  private static final String NOT_THE_SAME =
      """
      SELECT t.schema_name, t.table_name, c.oid IS NOT NULL
      FROM unnest(%s::text[], %s::text[]) AS t (schema_name, table_name)
      LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema_name
      LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.table_name
      WHERE c.oid IS NULL OR NOT EXISTS (
        SELECT FROM sluice_moved.decision d WHERE d.moved AND c.oid = ANY (d.relations))
        AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_trigger s
          WHERE s.tgrelid = c.oid AND s.tgname = '!sluice_moved' AND s.tgenabled = 'A'
            AND s.tgtype = 62 AND s.tgqual IS NULL
            AND s.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()'))
      ORDER BY 1, 2""";

  private static final String ALWAYS = "A";

  List<Problem> opened(Optional<UUID> decided, Collection<TableId> tables) {
    try (LockSession session = LockSession.open(server, LIMIT)) {
      session.begin(LIMIT);
      session.run(LockSession.statementTimeout(LIMIT));
      boolean known =
          decided.isEmpty()
              || Decisions.of(session, decided.get()).filter(Decision.MOVED::equals).isPresent();
      List<Problem> problems = new ArrayList<>();
      if (!known) {
        problems.add(MoveFailures.forgotten(decided.orElseThrow()));
      }
      if (!Decisions.isThere(session)) {
        return problems;
      }
      boolean refusesDdl = session.run(DdlRefusal.IS_THERE).get(0).get(0).equals("t");
      session.run(DdlRefusal.STATES).forEach(row -> ofEventTrigger(row).ifPresent(problems::add));
      if (known && !tables.isEmpty()) {
        session
            .run(
                NOT_THE_SAME.formatted(
                    array(tables, TableId::schema), array(tables, TableId::name)))
            .forEach(row -> problems.add(notTheSame(row)));
      }
      for (List<String> row : session.run(STATES)) {
        boolean root = row.get(4).equals("t");
        boolean later = row.get(5).equals("t");
        boolean rowsSuffice = later && row.get(3).equals(ALWAYS);
        if (!rowsSuffice) {
          ofTrigger(row, MovedSchema.TRIGGER, row.get(2), refusesDdl).ifPresent(problems::add);
        }
        if (root) {
          ofTrigger(row, MovedSchema.ROW_TRIGGER, row.get(3), refusesDdl).ifPresent(problems::add);
        }
      }
      return problems;
    } catch (SQLException e) {
      throw SourceErrors.classify("look whether the source's tables still refuse writers", e);
    }
  }

  private static String array(Collection<TableId> tables, Function<TableId, String> part) {
    return tables.stream()
        .map(part)
        .map(SqlLiteral::of)
        .collect(Collectors.joining(",", "ARRAY[", "]"));
  }

  private static Problem notTheSame(List<String> row) {
    TableId table = new TableId(row.get(0), row.get(1));
    return row.get(2).equals("t")
        ? problem(
            table,
            "another table has its name since the cutover: writers are not refused",
            "Stop the applications that write to it")
        : problem(
            table,
            "it was dropped or renamed since the cutover",
            "Find out who changes the source, where nothing is to be changed any more");
  }

  private static Optional<Problem> ofTrigger(
      List<String> row, String trigger, String state, boolean refusesDdl) {
    TableId table = new TableId(row.get(0), row.get(1));
    String name = TableId.quote(trigger);
    String enable = "ALTER TABLE %s ENABLE ALWAYS TRIGGER %s".formatted(table.quoted(), name);
    return switch (state) {
      case ALWAYS -> Optional.empty();
      case "" ->
          Optional.of(
              problem(
                  table,
                  "trigger " + name + " is not there as it was made: writers are not refused",
                  run(
                      "DROP TRIGGER IF EXISTS %s ON %s; %s; %s"
                          .formatted(name, table.quoted(), creation(row, trigger, table), enable),
                      refusesDdl)));
      case "D" ->
          Optional.of(
              problem(
                  table,
                  "trigger " + name + " is disabled: writers are not refused",
                  run(enable, refusesDdl)));
      default ->
          Optional.of(
              problem(
                  table,
                  "trigger "
                      + name
                      + " does not fire always: writers of some session_replication_role are not"
                      + " refused",
                  run(enable, refusesDdl)));
    };
  }

  /** A fix that alters a closed table is let pass by what refuses DDL. */
  private static String run(String fix, boolean refusesDdl) {
    return "Run on the source: "
        + (refusesDdl ? DdlRefusal.ALLOW + "; " + fix + "; " + DdlRefusal.ALLOW_NO_MORE : fix);
  }

  private static Optional<Problem> ofEventTrigger(List<String> row) {
    String name = row.get(0);
    String state = row.get(1);
    if (state.equals(ALWAYS) && row.get(2).equals("on")) {
      return Optional.empty();
    }
    String enable = "ALTER EVENT TRIGGER %s ENABLE ALWAYS".formatted(name);
    return Optional.of(
        switch (state) {
          case "" ->
              eventTrigger(
                  name,
                  "is not there as it was made",
                  "Run on the source: DROP EVENT TRIGGER IF EXISTS %s; %s; %s"
                      .formatted(name, DdlRefusal.creation(name), enable));
          case "D" -> eventTrigger(name, "is disabled", "Run on the source: " + enable);
          case ALWAYS ->
              eventTrigger(
                  name,
                  "does not fire, since event_triggers is off",
                  "Set event_triggers to on where it was set: for the server, the database or the"
                      + " role");
          default -> eventTrigger(name, "does not fire always", "Run on the source: " + enable);
        });
  }

  private static Problem eventTrigger(String name, String found, String fix) {
    return new Problem(
        "event trigger " + name + " on the source, which was moved",
        found + ": closed tables can be altered and dropped",
        "one that fires always",
        "%s. Or, to do without it: DROP FUNCTION %s CASCADE".formatted(fix, DdlRefusal.FUNCTION));
  }

  private static Problem problem(TableId table, String found, String fix) {
    return new Problem(
        "table " + table + " on the source, which was moved",
        found,
        "a table that refuses every writer",
        fix + ". Copy by hand what was written meanwhile");
  }

  private static String creation(List<String> row, String trigger, TableId table) {
    boolean rows = trigger.equals(MovedSchema.ROW_TRIGGER);
    return "CREATE TRIGGER %s BEFORE INSERT OR UPDATE OR DELETE%s ON %s FOR EACH %s EXECUTE FUNCTION sluice_moved.refuse(%s, %s, %s)"
        .formatted(
            TableId.quote(trigger),
            rows ? "" : " OR TRUNCATE",
            table.quoted(),
            rows ? "ROW" : "STATEMENT",
            SqlLiteral.of(row.get(6)),
            SqlLiteral.of(row.get(7)),
            SqlLiteral.of(row.get(8)));
  }
}
