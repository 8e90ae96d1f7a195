package dev.sluice.target.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.TablePart;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.connector.comparison.mariadb.TableSignatures;
import dev.sluice.connector.comparison.mariadb.WatchedSnapshot;
import dev.sluice.connector.comparison.printed.PrintedTable;
import dev.sluice.connector.comparison.printed.PrintedView;
import dev.sluice.connector.comparison.printed.ScanSql;
import dev.sluice.target.mariadb.catalog.ComparisonRight;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads tables of a target in successive snapshots. Owned by one thread at a time. */
final class MariadbTargetView extends PrintedView implements TargetView {
  private static final int NO_RIGHT = 1227;
  private static final int LOCKED = 1205;

  private final ComparedServer server;
  private final WatchedSnapshot snapshot;

  private MariadbTargetView(ComparedServer server, WatchedSnapshot snapshot) {
    super("target", snapshot, ScanSql.MARIADB);
    this.server = server;
    this.snapshot = snapshot;
  }

  static MariadbTargetView open(ComparedServer server, Duration life) {
    Connection[] sessions = new Connection[3];
    try {
      sessions[1] = server.open(life);
      sessions[2] = server.open(life);
      // Opened before any snapshot, so that a table which is altered from here on is not read.
      TableSignatures signatures =
          TableSignatures.ofAll(
              sessions[1],
              sessions[1].getCatalog(),
              server.kind().innodbTables(),
              server.kind().innodbColumns());
      // Opened last, since the server ends it if it is idle for longer than a snapshot lives.
      sessions[0] = server.open(life);
      WatchedSnapshot snapshot =
          new WatchedSnapshot(
              server,
              new WatchedSnapshot.Sessions(sessions[0], sessions[1], sessions[2]),
              signatures,
              server.kind() == ServerKind.MYSQL || letsGoOfTables(sessions[0]),
              life);
      return new MariadbTargetView(server, snapshot);
    } catch (SQLException e) {
      for (Connection session : sessions) {
        WatchedSnapshot.end(session);
      }
      throw e.getErrorCode() == NO_RIGHT
          ? new SluiceException.Fatal(ComparisonRight.missing(server.toString()))
          : server.failed("open sessions for a comparison on the " + server, e);
    }
  }

  /**
   * Makes the end of a savepoint release the locks on tables' definitions. MySQL always does so,
   * MariaDB only in a session that does not write to the binary log. This session only reads.
   *
   * @return false if the user has no right to it
   */
  private static boolean letsGoOfTables(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("SET SESSION sql_log_bin = 0");
      return true;
    } catch (SQLException e) {
      if (e.getErrorCode() != NO_RIGHT) {
        throw e;
      }
      return false;
    }
  }

  /** The checkpoint is a row as well, so one snapshot shows the checkpoint and its data. */
  @Override
  public Optional<Position> takeSnapshot(CheckpointQuery checkpoint) {
    return snapshot.take(session -> checkpoint(session, checkpoint));
  }

  @Override
  public void takeSnapshot() {
    snapshot.take(session -> Optional.empty());
  }

  @Override
  protected Optional<PrintedTable> describe(TableId table) {
    return described(table).map(Function.identity());
  }

  private Optional<PrintedTarget> described(TableId table) {
    try {
      return PrintedTarget.read(server.kind(), snapshot.present(), table);
    } catch (SQLException e) {
      if (e.getErrorCode() == LOCKED) {
        throw new NotReadable(
            Reason.BLOCKED,
            "target table %s: others hold a lock on its definition".formatted(table),
            e);
      }
      throw server.failed("read the definition of %s on the %s".formatted(table, server), e);
    }
  }

  /** Always 1: no statement reads InnoDB's pages. */
  @Override
  public long pages(TableId table) {
    return 1;
  }

  /**
   * All rows. InnoDB stores the rows in one of the table's indexes. If that is the index of the
   * key, no row can be missing in it, and rows are found by the key. Otherwise the complete table
   * is read.
   */
  @Override
  public List<FoundRow> read(ComparedRows rows, List<RowKey> keys, TablePart part) {
    boolean stored =
        described(rows.table())
            .map(table -> table.isStoredBy(rows.key().stream().map(ComparedValue::column).toList()))
            .orElse(false);
    return read(rows, keys, stored ? Lookup.BY_INDEX : Lookup.BY_SCAN);
  }
}
