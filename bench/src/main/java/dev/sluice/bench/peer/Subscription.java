package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * PostgreSQL's own logical replication of a publication from a slot that exists: no copy, streaming
 * off, all else as it is by default. Dropped when it is closed; the slot stays. Owned by one
 * thread.
 */
public final class Subscription implements AutoCloseable {
  private static final String NAME = "bench";

  private final Connection connection;

  private Subscription(Connection connection) {
    this.connection = connection;
  }

  /** Makes it, not at work yet. */
  public static Subscription create(
      Database source, Database target, String slot, String publication) throws SQLException {
    Subscription subscription = new Subscription(target.connect());
    try {
      subscription.execute(
          "CREATE SUBSCRIPTION "
              + NAME
              + " CONNECTION '"
              + source.connectionString()
              + "' PUBLICATION "
              + publication
              + " WITH (create_slot = false, enabled = false, copy_data = false, streaming = off,"
              + " slot_name = '"
              + slot
              + "')");
    } catch (SQLException e) {
      subscription.connection.close();
      throw e;
    }
    return subscription;
  }

  public void enable() throws SQLException {
    execute("ALTER SUBSCRIPTION " + NAME + " ENABLE");
  }

  /**
   * @throws IllegalStateException where its worker has met an error, which it repeats for ever
   */
  public void requireHealthy() throws SQLException {
    String errors =
        Database.single(
            connection,
            "SELECT coalesce(sum(apply_error_count), 0) FROM pg_stat_subscription_stats s"
                + " JOIN pg_subscription ON oid = s.subid"
                + " JOIN pg_database d ON d.oid = subdbid AND d.datname = current_database()");
    if (!errors.equals("0")) {
      throw new IllegalStateException(
          "PostgreSQL's apply worker has met errors: " + errors + "; the target's log names them");
    }
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      execute("ALTER SUBSCRIPTION " + NAME + " DISABLE");
      execute("ALTER SUBSCRIPTION " + NAME + " SET (slot_name = NONE)");
      execute("DROP SUBSCRIPTION " + NAME);
    }
  }

  private void execute(String sql) throws SQLException {
    Database.execute(connection, List.of(sql));
  }
}
