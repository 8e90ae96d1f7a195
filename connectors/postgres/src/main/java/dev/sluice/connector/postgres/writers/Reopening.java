package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.WriterStop.Reopened;
import dev.sluice.connector.api.source.writers.WriterStop.Whose;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Opens the closed tables for writers again: table by table, since that excludes readers for a
 * moment; last it forgets what was decided. A kill leaves the rest for the next time. Used by one
 * thread, once.
 */
final class Reopening {
  /** No statement is given more time. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Without the copies that partitions have of their root's; with the cutover that made it. */
  private static final String TRIGGERS =
      """
      SELECT n.nspname, c.relname, g.tgname,
        (pg_catalog.string_to_array(pg_catalog.encode(g.tgargs, 'escape'), '\\000'))[3]
      FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()') AND g.tgparentid = 0
      ORDER BY 1, 2, 3""";

  /** Those of tables that this role may alter, and the one that decided the cutover may not. */
  private static final String OF_MADE =
      TRIGGERS.replace(
          "ORDER BY",
          """
          AND pg_catalog.pg_has_role(c.relowner, 'USAGE') AND EXISTS (
            SELECT FROM pg_catalog.pg_class d
            WHERE d.oid = pg_catalog.to_regclass('sluice_moved.decision')
              AND NOT pg_catalog.pg_has_role(d.relowner, c.relowner, 'USAGE'))
          ORDER BY""");

  private static final String MOVED =
      "SELECT cutover::text, coalesce(moved_to, '') FROM sluice_moved.decision WHERE moved";

  private final SourceServer server;
  private final Whose whose;
  private final LockAttempts locks;

  Reopening(SourceServer server, Whose whose) {
    this.server = server;
    this.whose = whose;
    this.locks = new LockAttempts(server);
  }

  /** A trigger that refuses writers. */
  private record Closing(TableId table, String trigger, String cutover) {}

  Reopened run() {
    try (LockSession session = LockSession.open(server, LONGEST)) {
      if (!Decisions.isThere(session)) {
        return new Reopened(List.of(), List.of());
      }
      List<Closing> all = closings(session, TRIGGERS);
      Set<String> own = own(all, session);
      List<TableId> opened = open(session, all, own);
      attempt(
          session,
          "forgetting the cutovers of the source",
          MovedSchema.remove(own.stream().flatMap(Reopening::uuid).toList()));
      return new Reopened(
          opened,
          all.stream()
              .filter(each -> !own.contains(each.cutover()))
              .map(Closing::table)
              .distinct()
              .toList());
    } catch (SQLException e) {
      throw MoveFailures.classify("open the source's tables for writers again", e);
    }
  }

  /**
   * Opens what the role of a way back has made; forgets nothing, since all of that is another's.
   */
  List<TableId> ofMade() {
    try (LockSession session = LockSession.open(server, LONGEST)) {
      List<Closing> all = closings(session, OF_MADE);
      // Without any there may be no decisions to read.
      return all.isEmpty() ? List.of() : open(session, all, own(all, session));
    } catch (SQLException e) {
      throw MoveFailures.classify("open the tables that the way back has made", e);
    }
  }

  private static List<Closing> closings(LockSession session, String query) throws SQLException {
    return session.run(query).stream()
        .map(
            row ->
                new Closing(
                    new TableId(row.get(0), row.get(1)),
                    row.get(2),
                    row.get(3) == null ? "" : row.get(3)))
        .toList();
  }

  private List<TableId> open(LockSession session, List<Closing> all, Set<String> own)
      throws SQLException {
    List<TableId> opened = new ArrayList<>();
    for (Map.Entry<TableId, List<String>> table : triggers(all, own).entrySet()) {
      attempt(
          session,
          "opening table %s of the source for writers".formatted(table.getKey()),
          removal(table.getKey(), table.getValue()));
      opened.add(table.getKey());
    }
    return opened;
  }

  /** The cutovers that are to be undone; one of which no table is left is gone as well. */
  private Set<String> own(List<Closing> all, LockSession session) throws SQLException {
    if (whose.cutover().isPresent()) {
      return Set.of(whose.cutover().get().toString());
    }
    Map<String, String> movedTo = new HashMap<>();
    session.run(MOVED).forEach(row -> movedTo.put(row.get(0), row.get(1)));
    Map<String, List<Closing>> byCutover =
        all.stream().collect(Collectors.groupingBy(Closing::cutover));
    movedTo.keySet().forEach(cutover -> byCutover.putIfAbsent(cutover, List.of()));
    return byCutover.entrySet().stream()
        .filter(each -> isWhereto(movedTo.get(each.getKey())))
        .filter(
            each ->
                each.getValue().isEmpty() && whose.movedTo().isPresent()
                    || each.getValue().stream().map(Closing::table).anyMatch(whose.selects()::test))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Also true if nothing is known of the cutover. */
  private boolean isWhereto(String movedTo) {
    return movedTo == null || whose.movedTo().filter(asked -> !asked.equals(movedTo)).isEmpty();
  }

  /** Somebody may have made a trigger of the function by hand. */
  private static Stream<UUID> uuid(String cutover) {
    try {
      return Stream.of(UUID.fromString(cutover));
    } catch (IllegalArgumentException e) {
      return Stream.empty();
    }
  }

  private void attempt(LockSession session, String attempted, String sql) throws SQLException {
    locks.run(attempted, session.connection(), () -> session.run(sql));
  }

  private static Map<TableId, List<String>> triggers(List<Closing> all, Set<String> own) {
    Map<TableId, List<String>> triggers = new LinkedHashMap<>();
    for (Closing each : all) {
      if (own.contains(each.cutover())) {
        triggers.computeIfAbsent(each.table(), table -> new ArrayList<>()).add(each.trigger());
      }
    }
    return triggers;
  }

  /** Somebody else may have removed them meanwhile. */
  private static String removal(TableId table, List<String> triggers) {
    return String.join(
        ";",
        triggers.stream()
            .map(
                trigger ->
                    "DROP TRIGGER IF EXISTS %s ON %s"
                        .formatted(TableId.quote(trigger), table.quoted()))
            .toList());
  }
}
