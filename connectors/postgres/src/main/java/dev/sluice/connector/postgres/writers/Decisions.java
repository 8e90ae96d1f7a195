package dev.sluice.connector.postgres.writers;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads what the source knows about cutovers. Stateless. */
final class Decisions {

  /** Whether there are any, and whether they can be trusted: the task's user wrote them. */
  private static final String STATE =
      """
      SELECT c.oid IS NOT NULL, coalesce(c.relowner = me.oid, true), n.oid IS NOT NULL,
        pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
      FROM pg_catalog.pg_roles me
      LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = 'sluice_moved'
      LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = 'decision'
      WHERE me.rolname = current_user""";

  private static final String OF_CUTOVER =
      "SELECT moved FROM sluice_moved.decision WHERE cutover = '%s'::uuid";

  private Decisions() {}

  /** What is recorded about a cutover in this session's transaction; empty if nothing is. */
  static Optional<Decision> of(LockSession session, UUID cutover) throws SQLException {
    if (!isThere(session)) {
      return Optional.empty();
    }
    List<List<String>> rows = session.run(OF_CUTOVER.formatted(cutover));
    return rows.stream()
        .findFirst()
        .map(row -> row.get(0).equals("t") ? Decision.MOVED : Decision.NOT_MOVED);
  }

  /**
   * Whether a cutover was ever decided or given up here.
   *
   * @throws SluiceException.Fatal if another role has written that
   */
  static boolean isThere(LockSession session) throws SQLException {
    List<String> state = session.run(STATE).get(0);
    if (state.get(1).equals("f")) {
      throw new SluiceException.Fatal(MoveFailures.foreignSchema());
    }
    return state.get(0).equals("t");
  }

  /**
   * Whether this user could record a decision. If not, no session of this user can decide one
   * either.
   */
  static boolean areWritable(LockSession session) throws SQLException {
    List<String> state = session.run(STATE).get(0);
    return state.get(2).equals("t") || state.get(3).equals("t");
  }
}
