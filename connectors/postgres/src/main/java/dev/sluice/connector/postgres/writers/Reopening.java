package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens the closed tables for writers again: table by table, since that excludes readers for a
 * moment; last it removes the schema with what was decided. A kill leaves the rest for the next
 * time. Used by one thread, once.
 */
final class Reopening {
  /** No statement is given more time. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final String IS_CLOSED =
      """
      SELECT EXISTS (SELECT FROM sluice_moved.decision WHERE moved)
        OR EXISTS (SELECT FROM pg_catalog.pg_trigger g
          WHERE g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()'))""";

  /** Without the copies that partitions have of their root's. */
  private static final String TRIGGERS =
      """
      SELECT n.nspname, c.relname, g.tgname
      FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE g.tgfoid = pg_catalog.to_regprocedure('sluice_moved.refuse()') AND g.tgparentid = 0
      ORDER BY 1, 2, 3""";

  private final SourceServer server;
  private final LockAttempts locks;

  Reopening(SourceServer server) {
    this.server = server;
    this.locks = new LockAttempts(server);
  }

  /** Returns the tables that were opened. */
  List<TableId> run() {
    List<TableId> opened = new ArrayList<>();
    try (LockSession session = LockSession.open(server, LONGEST)) {
      if (!Decisions.isThere(session) || !session.run(IS_CLOSED).get(0).get(0).equals("t")) {
        return opened;
      }
      for (Map.Entry<TableId, List<String>> table : triggers(session).entrySet()) {
        attempt(
            session,
            "opening table %s of the source for writers".formatted(table.getKey()),
            removal(table.getKey(), table.getValue()));
        opened.add(table.getKey());
      }
      attempt(session, "removing schema sluice_moved from the source", MovedSchema.remove());
      return opened;
    } catch (SQLException e) {
      throw MoveFailures.classify("open the source's tables for writers again", e);
    }
  }

  private void attempt(LockSession session, String attempted, String sql) throws SQLException {
    locks.run(attempted, session.connection(), () -> session.run(sql));
  }

  private static Map<TableId, List<String>> triggers(LockSession session) throws SQLException {
    Map<TableId, List<String>> triggers = new LinkedHashMap<>();
    for (List<String> row : session.run(TRIGGERS)) {
      triggers
          .computeIfAbsent(new TableId(row.get(0), row.get(1)), table -> new ArrayList<>())
          .add(row.get(2));
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
