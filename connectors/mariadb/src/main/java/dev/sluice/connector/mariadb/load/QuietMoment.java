package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MysqlRelease;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * With GTIDs a transaction owns its own from before it is in the log until its rows can be seen. So:
 *
 * 1. the log ends at a place
 * 2. no GTID is owned: the rows of all transactions before that place can be seen
 * 3. the snapshots begin
 * 4. the log still ends there: no transaction after that place can be seen, since its rows come after
 *    its log
 *
 * Then the snapshots show that place. It needs no lock, and waits for nobody: a transaction that has
 * written and has not ended is in no log yet, and in no snapshot.
 *
 * A server that keeps its log otherwise, as Aurora does, may do this in another order.
 */
/** Begins snapshots of MySQL at a moment when nothing is committed. Stateless. */
final class QuietMoment {
  /** Each takes a few round trips. */
  private static final int ATTEMPTS = 20;

  private static final String GTIDS =
      "SELECT @@GLOBAL.gtid_mode, @@GLOBAL.gtid_owned, @@server_uuid";

  private QuietMoment() {}

  /**
   * Begins the snapshots, which all show the same position.
   *
   * @param query on a separate session
   * @return empty if the server cannot prove such a moment, or transactions were committed in each
   *     attempt; then no session has a snapshot
   */
  static Optional<BinlogPosition> begin(MariadbQuery query, List<Connection> sessions)
      throws SQLException {
    if (!isProof(query.variables())) {
      return Optional.empty();
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<BinlogPosition> end = LogServer.end(query);
      String[] gtids = query.row(GTIDS).orElseThrow();
      if (end.isEmpty() || !gtids[0].equals("ON")) {
        break;
      }
      if (!gtids[1].isEmpty()) {
        continue;
      }
      for (Connection session : sessions) {
        SnapshotOpening.begin(session);
      }
      // Checked last: each query before it would give others more time to commit.
      if (LogServer.end(query).equals(end)) {
        AlikeSnapshots.requireOf(gtids[2], sessions);
        return end;
      }
    }
    rollback(sessions);
    return Optional.empty();
  }

  /**
   * Whether the server's GTIDs prove a quiet moment.
   *
   * @param variables of the server
   */
  static boolean isProof(Map<String, String> variables) {
    return "ON".equals(variables.get("gtid_mode"))
        && MysqlRelease.of(variables).notTried().isEmpty();
  }

  /** Ends the snapshots, since the server keeps old rows as long as a snapshot may read them. */
  private static void rollback(List<Connection> sessions) throws SQLException {
    for (Connection session : sessions) {
      try (Statement statement = session.createStatement()) {
        statement.execute("ROLLBACK");
      }
    }
  }
}
