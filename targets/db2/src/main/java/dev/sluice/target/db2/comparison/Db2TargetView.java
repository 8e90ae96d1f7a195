package dev.sluice.target.db2.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.TablePart;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.connector.comparison.printed.PrintedTable;
import dev.sluice.connector.comparison.printed.PrintedView;
import dev.sluice.connector.comparison.printed.ScanSql;
import dev.sluice.sink.target.CatalogReader;
import java.util.List;
import java.util.Optional;

/**
 * Reads tables of a target without snapshots: each row as it is committed when it is read. Owned by
 * one thread at a time.
 */
final class Db2TargetView extends PrintedView implements TargetView {
  private final CommittedReads reads;
  private final CatalogReader catalog;

  Db2TargetView(CommittedReads reads, CatalogReader catalog) {
    super("target", reads, ScanSql.STANDARD);
    this.reads = reads;
    this.catalog = catalog;
  }

  /** Rows that are read later contain all changes up to this checkpoint, and maybe later ones. */
  @Override
  public Optional<Position> takeSnapshot(CheckpointQuery checkpoint) {
    return reads.read("the checkpoint", session -> checkpoint(session, checkpoint));
  }

  @Override
  public void takeSnapshot() {
    // Db2 has no snapshot.
  }

  @Override
  public boolean isOneMoment() {
    return false;
  }

  @Override
  public boolean isOver() {
    return reads.isOver();
  }

  @Override
  protected Optional<PrintedTable> describe(TableId table) {
    return reads.read(table, session -> catalog.table(session, table).map(Db2PrintedTable::new));
  }

  /** Always 1: no statement reads pages. */
  @Override
  public long pages(TableId table) {
    return 1;
  }

  @Override
  public List<FoundRow> read(ComparedRows rows, List<RowKey> keys, TablePart part) {
    return read(rows, keys, Lookup.BY_SCAN);
  }
}
