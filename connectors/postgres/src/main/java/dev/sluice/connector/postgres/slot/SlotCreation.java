package dev.sluice.connector.postgres.slot;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a replication slot and exports its snapshot. The server waits for each transaction that
 * is open or prepared now. Immutable.
 *
 * @param name the slot's
 * @param temporary whether the slot ends with the session that creates it
 * @param timeout of that wait
 */
record SlotCreation(SourceServer server, String name, boolean temporary, Duration timeout) {
  private static final Logger LOG = LoggerFactory.getLogger(SlotCreation.class);

  private static final String NAME_TAKEN = "42710";
  private static final String QUERY_CANCELED = "57014";

  /** The first major version with failover slots, which standbys synchronize. */
  private static final int FIRST_WITH_FAILOVER_SLOTS = 17;

  /** Whether creating a slot failed because one of that name exists. */
  static boolean isNameTaken(SluiceException failure) {
    return failure.getCause() instanceof SQLException cause
        && NAME_TAKEN.equals(cause.getSQLState());
  }

  /**
   * Creates the slot. If that fails, the server may have created it nevertheless.
   *
   * @param session the name of the session that keeps the snapshot
   * @throws SQLException see {@link #failure}
   */
  ExportedSnapshot run(String session) throws SQLException {
    Connection connection = null;
    try {
      connection = server.openForReplication(session);
      ExportedSnapshot snapshot = createOver(connection);
      LOG.info(
          "replication slot {} created at {}, snapshot {}",
          name,
          snapshot.position(),
          snapshot.name());
      return snapshot;
    } catch (SQLException e) {
      closeAfter(connection, e);
      throw e;
    }
  }

  private ExportedSnapshot createOver(Connection connection) throws SQLException {
    boolean failover =
        !temporary
            && connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_FAILOVER_SLOTS;
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout((int) Math.max(1, timeout.toSeconds()));
      try (ResultSet rows =
          statement.executeQuery(
              "CREATE_REPLICATION_SLOT "
                  + TableId.quote(name)
                  + (temporary ? " TEMPORARY" : "")
                  + " LOGICAL pgoutput "
                  + (failover ? "(SNAPSHOT 'export', FAILOVER)" : "EXPORT_SNAPSHOT"))) {
        rows.next();
        return new ExportedSnapshot(
            connection,
            rows.getString("snapshot_name"),
            Position.parse(rows.getString("consistent_point")));
      }
    }
  }

  /** What the error of a creation means. Asks the server which transactions it waited for. */
  SluiceException failure(SQLException error) {
    if (NAME_TAKEN.equals(error.getSQLState())) {
      return new SluiceException.Fatal(
          new Problem(
                  "replication slot " + name,
                  "another task or program has created one of that name",
                  "a name that is not in use on the server",
                  "Do not drop that slot; set source.slot-name of this task to another name")
              .toString(),
          error);
    }
    if (!QUERY_CANCELED.equals(error.getSQLState())) {
      return SourceFailures.classify("creating replication slot " + name, error);
    }
    List<OpenTransaction> open = PostgresLog.openTransactions(server);
    return new SluiceException.Fatal(
        new Problem(
            "replication slot " + name,
            "its creation waited "
                + timeout.toSeconds()
                + " s for transactions that are open or prepared"
                + (open.isEmpty() ? "" : ": " + open),
            "no transaction longer than TransactionConsistencyTimeout",
            "End these transactions, or raise TransactionConsistencyTimeout"));
  }

  private static void closeAfter(Connection connection, SQLException error) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        error.addSuppressed(e);
      }
    }
  }
}
