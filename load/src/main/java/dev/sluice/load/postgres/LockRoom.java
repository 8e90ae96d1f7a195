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

  /** The room, by the server's own sum, and the locks of the tables that are there. */
  private static final String ROOM =
      """
      WITH given AS (SELECT to_regclass(name)::oid AS id FROM unnest(?::text[]) AS given (name)),
      present AS (
        SELECT 1 + 2 * (c.reltoastrelid <> 0)::int
          + (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid) AS locks
        FROM given JOIN pg_class c ON c.oid = given.id)
      SELECT current_setting('max_locks_per_transaction')::int8,
        (SELECT sum(setting::int8) + 1 FROM pg_settings
          WHERE name IN ('max_connections', 'max_worker_processes', 'max_wal_senders',
            'max_prepared_transactions')
          OR name = (SELECT max(name) FROM pg_settings
            WHERE name IN ('autovacuum_max_workers', 'autovacuum_worker_slots'))),
        coalesce(sum(locks), 0) FROM present
      """;

  private LockRoom() {}

  /**
   * @param tables to be created at once
   * @param dropped those that are dropped along; a load that begins again drops its own before, by
   *     transactions of their own
   */
  static Optional<Problem> problemOfMade(
      TargetConnection connection, List<TableId> tables, List<TableId> dropped)
      throws SQLException {
    long gone = Dependents.locksOfDrop(connection, dropped);
    Room room = room(connection, tables);
    return room.problem(
        gone + (long) OF_NEW_TABLE * tables.size(),
        gone == 0 ? "creates the" : "drops and creates the",
        tables);
  }

  /**
   * @param tables to be emptied at once
   */
  static Optional<Problem> problemOfEmptied(TargetConnection connection, List<TableId> tables)
      throws SQLException {
    Room room = room(connection, tables);
    return room.problem(room.present(), "empties the", tables);
  }

  private static Room room(TargetConnection connection, List<TableId> tables) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(ROOM)) {
      statement.setArray(1, Dependents.names(connection, tables));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Room(row.getLong(1), row.getLong(2), row.getLong(3));
      }
    }
  }

  /**
   * The server's room. Immutable.
   *
   * @param each the locks for each session by its setting
   * @param present the locks of the tables that are there, with their indexes
   */
  private record Room(long each, long sessions, long present) {
    Optional<Problem> problem(long locks, String work, List<TableId> tables) {
      return locks <= each * sessions
          ? Optional.empty()
          : Optional.of(
              new Problem(
                  "max_locks_per_transaction on the target",
                  "is %d, with which the server promises room for %d locks in all sessions together"
                      .formatted(each, each * sessions),
                  "room for the %d locks of the transaction that %s %d tables"
                      .formatted(locks, work, tables.size()),
                  "Set it to %d or more and restart the target's server; or load the tables by several tasks"
                      .formatted(1 + 2 * locks / sessions)));
    }
  }
}
