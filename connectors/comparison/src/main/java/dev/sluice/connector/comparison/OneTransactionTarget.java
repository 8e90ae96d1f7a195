package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideIdentity;
import dev.sluice.connector.api.comparison.TablePart;
import dev.sluice.connector.api.comparison.TargetView;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The comparison side of a target with PostgreSQL's protocol in which a session cannot join the
 * snapshot of another one. Keys may be stored in the order of their hashes. Threadsafe.
 */
public final class OneTransactionTarget implements ComparisonTarget {
  private final SideServer server;

  public OneTransactionTarget(SideServer server) {
    this.server = server;
  }

  @Override
  public TargetView open(Duration life) {
    return new View(server, OneTransaction.open(server, life));
  }

  /** Without an identifier: each server of a cluster has its own, and the cluster has none. */
  @Override
  public SideIdentity identity() {
    return Identities.withoutSystem(server);
  }

  /** Nothing to prepare, since reads write nothing there. */
  @Override
  public boolean prepare(TableId table) {
    return true;
  }

  /** The target's view. */
  private static final class View extends PostgresView implements TargetView {
    private final OneTransaction transaction;

    /** The columns by which the rows of a table are stored; none without a primary key. */
    private final Map<TableId, Set<String>> storedBy = new HashMap<>();

    View(SideServer server, OneTransaction transaction) {
      super(server, transaction);
      this.transaction = transaction;
    }

    @Override
    public Optional<Position> takeSnapshot(CheckpointQuery checkpoint) {
      forget();
      return transaction.begin(
          session ->
              session.query(
                  checkpoint.sql(),
                  checkpoint.values(),
                  row -> CatalogReading.text(row).map(Position::parse)));
    }

    @Override
    public void takeSnapshot() {
      forget();
      transaction.begin(session -> session.query("SELECT 1", List.of(), CatalogReading::text));
    }

    @Override
    public boolean isOver() {
      return transaction.isOver();
    }

    /**
     * Marks that large values are stored with their rows, and that hashed keys have no order, since
     * a range of them would need a scan.
     */
    @Override
    SnapshotTable completed(SideSession session, TableId table, SnapshotTable found)
        throws SQLException {
      Set<String> hashed =
          session.query(
              CatalogQueries.HASHED_COLUMNS,
              List.of(table.schema(), table.name()),
              CatalogReading::texts);
      storedBy.put(
          table,
          session.query(
              CatalogQueries.PRIMARY_KEY,
              List.of(table.schema(), table.name()),
              CatalogReading::texts));
      return found.withoutOrderOf(hashed).withLargeRows();
    }

    /** Always 1, since no statement reads parts of the storage. */
    @Override
    public long pages(TableId table) {
      return 1;
    }

    /**
     * No rows if the key is the primary key: rows are stored by it, so no separate index could hide
     * one. With another key all rows are read.
     */
    @Override
    public List<FoundRow> read(ComparedRows rows, List<RowKey> keys, TablePart part) {
      Set<String> key =
          rows.key().stream().map(ComparedValue::column).collect(Collectors.toUnmodifiableSet());
      return key.equals(storedBy.get(rows.table())) ? List.of() : read(rows, keys, Lookup.BY_SCAN);
    }
  }
}
