package dev.sluice.connector.comparison;

import dev.sluice.connector.comparison.SnapshotReads.Snapshot;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The session that takes a snapshot, keeps it and exports it to the session that reads. It touches
 * no table of the application. Owned by one thread at a time.
 */
final class SnapshotHolder implements AutoCloseable {
  private static final String BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

  private final SideServer server;
  private final SideSession session;
  private final long deadline;

  private SnapshotHolder(SideServer server, SideSession session, long deadline) {
    this.server = server;
    this.session = session;
    this.deadline = deadline;
  }

  static SnapshotHolder open(SideServer server, Duration life) {
    SideSession session = SideSession.open(server, life);
    return new SnapshotHolder(server, session, System.nanoTime() + life.toNanos());
  }

  /** The result of the first statement of a transaction, with the exported snapshot. */
  record Taken<T>(T result, Snapshot snapshot) {}

  /**
   * Takes a snapshot by a query, in place of an earlier one.
   *
   * @param sql whose last column exports the snapshot
   * @param first reads the other columns of its rows
   */
  <T> Taken<T> take(String sql, List<?> values, SideSession.Rows<T> first) {
    try {
      session.execute("ROLLBACK");
      session.execute(BEGIN);
      T result = session.query(sql, values, first);
      String name =
          session
              .query("SELECT pg_catalog.pg_export_snapshot()", List.of(), CatalogReading::text)
              .orElseThrow();
      return new Taken<>(result, new Snapshot(name, deadline));
    } catch (SQLException e) {
      session.rollback();
      throw ReadFailures.of(server, "a snapshot", false, e);
    }
  }

  @Override
  public void close() {
    session.rollback();
    session.close();
  }
}
