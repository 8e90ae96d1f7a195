package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.writers.WriterStop.Moved;
import dev.sluice.connector.api.source.writers.WriterStop.Whose;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Reads the decided cutovers of a source with the tables that they closed. Immutable, threadsafe.
 */
record DecidedCutovers(SourceServer server) {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** A view in its place could run code of another role. */
  private static final String READABLE =
      """
      SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'sluice_moved' AND c.relname = 'decision' AND c.relkind = 'r'
        AND NOT c.relrowsecurity AND pg_catalog.pg_has_role(c.relowner, 'USAGE')""";

  private static final String DECIDED =
      """
      SELECT d.cutover, pg_catalog.to_char(d.decided_at AT TIME ZONE 'UTC',
          'YYYY-MM-DD HH24:MI:SS "UTC"'), coalesce(d.moved_to, ''), n.nspname, c.relname
      FROM sluice_moved.decision d CROSS JOIN unnest(d.relations) AS closed (oid)
      JOIN pg_catalog.pg_class c ON c.oid = closed.oid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE d.moved
      ORDER BY d.decided_at, 1, 4, 5""";

  /** What a row has of a cutover, as texts. */
  private record Decided(String cutover, String at, String movedTo) {}

  List<Moved> of(Whose whose) {
    Map<Decided, List<TableId>> closed = new LinkedHashMap<>();
    try (LockSession session = LockSession.open(server, LIMIT)) {
      session.begin(LIMIT);
      session.run(LockSession.statementTimeout(LIMIT));
      if (session.run(READABLE).isEmpty()) {
        return List.of();
      }
      for (List<String> row : session.run(DECIDED)) {
        closed
            .computeIfAbsent(
                new Decided(row.get(0), row.get(1), row.get(2)), any -> new ArrayList<>())
            .add(new TableId(row.get(3), row.get(4)));
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read which cutovers the source has decided", e);
    }
    List<Moved> moved = new ArrayList<>();
    closed.forEach(
        (decided, tables) -> {
          List<TableId> selected = tables.stream().filter(whose.selects()).toList();
          if (isOf(whose, decided) && !selected.isEmpty()) {
            moved.add(new Moved(UUID.fromString(decided.cutover()), decided.at(), selected));
          }
        });
    return moved;
  }

  private static boolean isOf(Whose whose, Decided decided) {
    return whose.movedTo().filter(asked -> !asked.equals(decided.movedTo())).isEmpty()
        && whose.cutover().filter(asked -> !asked.toString().equals(decided.cutover())).isEmpty();
  }
}
