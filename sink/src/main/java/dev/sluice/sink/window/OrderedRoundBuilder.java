package dev.sluice.sink.window;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A round that keeps its changes as they came. Owned by the thread that fills it. */
final class OrderedRoundBuilder extends RoundBuilder {
  private static final int OVERHEAD = 32;

  private final List<RowChange> changes = new ArrayList<>();
  private final Map<TableId, Long> fingerprints = new HashMap<>();
  private long retained;

  @Override
  boolean hasSchemaOf(RowChange change) {
    Long fingerprint = fingerprints.get(change.schema().table());
    return fingerprint == null || fingerprint == change.schema().fingerprint();
  }

  @Override
  void put(RowChange change) {
    fingerprints.putIfAbsent(change.schema().table(), change.schema().fingerprint());
    changes.add(change);
    retained += OVERHEAD;
    retained += change.match() == null ? 0 : change.match().retainedBytes();
    retained += change.row() == null ? 0 : change.row().retainedBytes();
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
