package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import java.util.ArrayList;
import java.util.List;

/** A round while it is filled. Owned by the thread that fills it; ends as a {@link Round}. */
abstract sealed class RoundBuilder
    permits NetRoundBuilder, OrderedRoundBuilder, DefinitionRoundBuilder {
  private final List<Emptied> truncate = new ArrayList<>();
  private long changes;

  /** Whether the change may join: within a round a table has one row schema. */
  final boolean accepts(RowChange change) {
    return hasSchemaOf(change);
  }

  /**
   * @throws DoesNotFollow where the change cannot follow those before it; the round is as before
   */
  final void add(RowChange change) {
    put(change);
    changes++;
  }

  /** Whether a truncate may join: it comes before all changes of its round. */
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

  /** What is left to be applied by now; may fall. */
  abstract long netChanges();

  /** Heap bytes kept by now; may fall. */
  abstract long retainedBytes();

  abstract boolean hasSchemaOf(RowChange change);

  abstract void put(RowChange change);

  abstract Round build(List<Emptied> tablesToEmpty);
}
