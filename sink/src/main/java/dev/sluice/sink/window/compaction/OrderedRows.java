package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the changes of one table in one round in source order, for a table that a rule applies one
 * by one. Owned by the thread that fills the round.
 */
final class OrderedRows implements NetTable {
  private static final int OVERHEAD = 32;

  private final RowSchema schema;
  private final List<RowChange> changes = new ArrayList<>();
  private long retained;

  OrderedRows(RowSchema schema) {
    this.schema = schema;
  }

  @Override
  public RowSchema schema() {
    return schema;
  }

  @Override
  public void add(RowChange change) {
    changes.add(change);
    retained += retainedBytes(change);
  }

  /** Heap bytes of a change in a list. */
  static long retainedBytes(RowChange change) {
    return OVERHEAD
        + (change.match() == null ? 0 : change.match().retainedBytes())
        + (change.row() == null ? 0 : change.row().retainedBytes());
  }

  @Override
  public long netChanges() {
    return changes.size();
  }

  @Override
  public long retainedBytes() {
    return retained;
  }

  @Override
  public TableChanges build() {
    return new TableChanges.Ordered(schema, List.copyOf(changes));
  }
}
