package dev.sluice.sink.window.compaction;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a round that keeps its changes in source order, uncompacted. Owned by the thread that
 * fills it.
 */
final class OrderedRoundBuilder extends RoundBuilder {
  private final List<RowChange> changes = new ArrayList<>();
  private final Map<TableId, Long> fingerprints = new HashMap<>();
  private final TableShares shares;
  private long retained;

  OrderedRoundBuilder(TableShares shares) {
    this.shares = shares;
  }

  @Override
  boolean hasSchemaOf(RowChange change) {
    Long fingerprint = fingerprints.get(change.schema().table());
    return fingerprint == null || fingerprint == change.schema().fingerprint();
  }

  @Override
  void put(RowChange change) {
    fingerprints.putIfAbsent(change.schema().table(), change.schema().fingerprint());
    changes.add(change);
    long kept = OrderedRows.retainedBytes(change);
    retained += kept;
    shares.charge(change.schema().table(), kept);
  }

  @Override
  long netChanges() {
    return changes.size();
  }

  @Override
  long retainedBytes() {
    return retained;
  }

  @Override
  Round build(List<Emptied> tablesToEmpty) {
    return new Round.Ordered(tablesToEmpty, changes);
  }
}
