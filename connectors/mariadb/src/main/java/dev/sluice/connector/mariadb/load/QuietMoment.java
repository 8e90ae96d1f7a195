package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.capture.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/*
 * With GTIDs a transaction owns its own from before it is in the log until its rows can be seen. So:
 *
 * 1. the log ends at a place
 * 2. no GTID is owned: the rows of all transactions before that place can be seen
 * 3. the snapshots begin
 * 4. the log still ends there: no transaction behind that place can be seen, since its rows come after
 *    its log
 *
 * Then the snapshots show that place. It needs no lock, and waits for nobody: a transaction that has
 * written and has not ended is in no log yet, and in no snapshot.
 */
/** Begins snapshots of MySQL where nothing is committed just then. Stateless. */
final class QuietMoment {
  /** Each takes a few round trips. */
  private static final int ATTEMPTS = 20;

  private static final String GTIDS = "SELECT @@GLOBAL.gtid_mode, @@GLOBAL.gtid_owned";

  private QuietMoment() {}

  /**
   * Begins the snapshots, which all show the same position.
   *
   * @param query over a session of its own
   * @return empty if the server has no GTIDs, or transactions were committed in each attempt
   */
  static Optional<BinlogPosition> begin(MariadbQuery query, List<Connection> sessions)
      throws SQLException {
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<BinlogPosition> end = LogServer.end(query);
      String[] gtids = query.row(GTIDS).orElseThrow();
      if (end.isEmpty() || !gtids[0].equals("ON")) {
        return Optional.empty();
      }
      if (!gtids[1].isEmpty()) {
        continue;
      }
      for (Connection session : sessions) {
        SnapshotOpening.begin(session);
      }
      if (LogServer.end(query).equals(end)) {
        return end;
      }
    }
    return Optional.empty();
  }
}
