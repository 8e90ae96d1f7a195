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

/** Looks whether the tables of decided cutovers still refuse writers. Immutable, threadsafe. */
record ClosedTables(SourceServer server) {
  private static final Duration LIMIT = Duration.ofSeconds(20);

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
      ClosedTablesQueries queries = ClosedTablesQueries.of(session);
      if (known && !tables.isEmpty()) {
        session
            .run(queries.notTheSame(tables))
            .forEach(row -> problems.add(notTheSame(row, row.get(2).equals("t"))));
      }
      session.run(queries.carriedNotTheSame()).forEach(row -> problems.add(notTheSame(row, false)));
      for (List<String> row : session.run(queries.states())) {
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

  private static Problem notTheSame(List<String> row, boolean replaced) {
    TableId table = new TableId(row.get(0), row.get(1));
    return replaced
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
