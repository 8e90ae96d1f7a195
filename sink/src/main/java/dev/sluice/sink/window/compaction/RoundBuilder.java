package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import java.util.ArrayList;
import java.util.List;

/** Builds a {@link Round}. Owned by the thread that fills it. */
abstract sealed class RoundBuilder
    permits NetRoundBuilder, OrderedRoundBuilder, DefinitionRoundBuilder {
  private final List<Emptied> truncate = new ArrayList<>();
  private long changes;

  /** True if the change may be added: in one round a table has only one row schema. */
  final boolean accepts(RowChange change) {
    return hasSchemaOf(change);
  }

  /**
   * @throws DoesNotFollow if the change cannot follow those before it; the round is then unchanged
   */
  final void add(RowChange change) {
    put(change);
    changes++;
  }

  /** True if a truncate may be added: it comes before all changes of its round. */
  boolean acceptsTruncate() {
    return changes == 0;
  }

  final void add(Truncate event) {
    for (Emptied emptied : event.tables()) {
      if (truncate.contains(new Emptied(emptied.table(), null))) {
        continue;
      }
      if (emptied.partitionCondition() == null) {
        truncate.removeIf(earlier -> earlier.table().equals(emptied.table()));
      }
      if (!truncate.contains(emptied)) {
        truncate.add(emptied);
      }
    }
  }

  boolean isEmpty() {
    return changes == 0 && truncate.isEmpty();
  }

  final Round build() {
    return build(List.copyOf(truncate));
  }

  /** The number of net changes so far; may decrease. */
  abstract long netChanges();

  /** Heap bytes used so far; may decrease. */
  abstract long retainedBytes();

  abstract boolean hasSchemaOf(RowChange change);

  abstract void put(RowChange change);

  abstract Round build(List<Emptied> tablesToEmpty);
}
