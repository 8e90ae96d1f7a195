package dev.sluice.bench.cutover;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A move as scripts around native logical replication do it (pg_easy_replicate): wait until little
 * is behind, make the application's role read-only, end its sessions, wait until nothing is behind,
 * set the sequences. Stateless.
 */
public final class ScriptedMove {
  /** pg_easy_replicate begins below it. */
  private static final long NEAR_BYTES = 200_000;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private ScriptedMove() {}

  /**
   * Moves.
   *
   * @param role of the applications
   * @return from the end of writing to the moment in which the target can be used
   */
  public static Duration run(Database source, Database target, String slot, String role)
      throws SQLException, InterruptedException {
    try (Connection connection = source.connect()) {
      Waiting.until(
          "the subscriber to be near", LIMIT, () -> behind(connection, slot) <= NEAR_BYTES);
      long begun = System.nanoTime();
      source.execute(
          "ALTER ROLE " + role + " SET default_transaction_read_only = on",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'");
      String end = Database.single(connection, "SELECT pg_current_wal_lsn()");
      Waiting.until(
          "the subscriber to have all",
          LIMIT,
          () ->
              Database.single(
                      connection,
                      "SELECT confirmed_flush_lsn >= '%s' FROM pg_replication_slots WHERE slot_name = '%s'"
                          .formatted(end, slot))
                  .equals("t"));
      setSequences(connection, target);
      return Duration.ofNanos(System.nanoTime() - begun);
    }
  }

  private static void setSequences(Connection source, Database target) throws SQLException {
    target.execute(
        Database.single(
            source,
            """
            SELECT 'SELECT ' || string_agg(format('setval(%L, %s)',
                quote_ident(schemaname) || '.' || quote_ident(sequencename), last_value), ', ')
            FROM pg_sequences WHERE last_value IS NOT NULL"""));
  }

  private static long behind(Connection connection, String slot) throws SQLException {
    return Long.parseLong(
        Database.single(
            connection,
            "SELECT (pg_current_wal_lsn() - confirmed_flush_lsn)::bigint FROM pg_replication_slots"
                + " WHERE slot_name = '"
                + slot
                + "'"));
  }
}
