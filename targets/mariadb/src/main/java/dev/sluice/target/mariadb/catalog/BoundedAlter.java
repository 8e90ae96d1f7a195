package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;

/**
 * Runs ALTER TABLE with a short lock timeout: all statements that come after it would wait behind
 * it. Ends the open transaction. Stateless.
 */
public final class BoundedAlter {
  /** How long it waits for a table that applications may use. */
  public static final int SECONDS = 2;

  private BoundedAlter() {}

  /**
   * @param action what follows the name of the table
   * @throws SQLException also if the lock was not granted in time
   */
  public static void run(
      ServerKind server, TargetConnection connection, TableId table, int seconds, String action)
      throws SQLException {
    String alter = "ALTER TABLE " + table.quoted() + " " + action;
    if (server == ServerKind.MARIADB) {
      connection.execute("SET STATEMENT lock_wait_timeout = " + seconds + " FOR " + alter);
      return;
    }
    connection.execute("SET SESSION lock_wait_timeout = " + seconds);
    try {
      connection.execute(alter);
    } finally {
      connection.execute("SET SESSION lock_wait_timeout = 50");
    }
  }
}
