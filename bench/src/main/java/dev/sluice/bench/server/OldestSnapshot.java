package dev.sluice.bench.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The oldest snapshot that sessions of a server held whenever it was looked at: as long as it is
 * open, vacuum and the pruning of updated rows keep every row version that it sees. Owned by one
 * thread.
 */
public final class OldestSnapshot implements AutoCloseable {
  private final Connection connection;
  private double seconds;

  private OldestSnapshot(Connection connection) {
    this.connection = connection;
  }

  public static OldestSnapshot watch(Database database) throws SQLException {
    return new OldestSnapshot(database.connect());
  }

  /** Looks once. */
  public void look() throws SQLException {
    seconds =
        Math.max(
            seconds,
            Double.parseDouble(
                Database.single(
                    connection,
                    "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)"
                        + " FROM pg_stat_activity WHERE backend_xmin IS NOT NULL"
                        + " AND backend_type = 'client backend' AND pid <> pg_backend_pid()")));
  }

  public Duration oldest() {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
