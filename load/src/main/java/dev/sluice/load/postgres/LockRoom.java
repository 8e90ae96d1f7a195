package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Whether the server can lock all tables of a load in one transaction. One that takes the last room
 * makes the statements of all other sessions fail. Stateless, threadsafe.
 *
 * @see <a href="https://www.postgresql.org/docs/current/runtime-config-locks.html">Lock
 *     Management</a>
 */
final class LockRoom {

  /** A new table, its large values, and their index. A new sequence or key adds to them. */
  private static final int OF_NEW_TABLE = 3;

  /**
   * The room, by the server's own sum; for the tables that are there, their locks and how many
   * there are.
   */
  private static final String ROOM =
      """
      WITH given AS (SELECT to_regclass(name)::oid AS id FROM unnest(?::text[]) AS given (name)),
      present AS (
        SELECT 1 + 2 * (c.reltoastrelid <> 0)::int
          + (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid) AS locks
        FROM given JOIN pg_class c ON c.oid = given.id)
      SELECT current_setting('max_locks_per_transaction')::int8,
        (SELECT sum(setting::int8) + 1 FROM pg_settings
          WHERE name IN ('max_connections', 'autovacuum_max_workers', 'max_worker_processes',
            'max_wal_senders', 'max_prepared_transactions')),
        coalesce(sum(locks), 0), count(locks) FROM present
      """;

  private LockRoom() {}

  /**
   * @param tables to be locked at once; those that are not there are only counted if they are made
   * @param made whether the tables are dropped and created
   */
  static Optional<Problem> problem(TargetConnection connection, List<TableId> tables, boolean made)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(ROOM)) {
      statement.setArray(
          1,
          connection.jdbc().createArrayOf("text", tables.stream().map(TableId::quoted).toArray()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        long each = row.getLong(1);
        long sessions = row.getLong(2);
        long locks = row.getLong(3) + (made ? (long) OF_NEW_TABLE * tables.size() : 0);
        return locks <= each * sessions
            ? Optional.empty()
            : Optional.of(
                new Problem(
                    "max_locks_per_transaction on the target",
                    "is %d, which is room for %d locks in all sessions together"
                        .formatted(each, each * sessions),
                    "room for the %d locks of the transaction that %s %d tables"
                        .formatted(
                            locks, made ? "drops and creates the" : "empties the", tables.size()),
                    "Set it to %d or more and restart the target's server; or load the tables by several tasks"
                        .formatted(1 + 2 * locks / sessions)));
      }
    }
  }
}
