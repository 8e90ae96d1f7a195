package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import java.util.List;

/**
 * Builds the round of one DDL statement: it is complete at once and takes nothing else. Immutable.
 */
final class DefinitionRoundBuilder extends RoundBuilder {
  private static final long COLUMN_BYTES = 512;

  private final DefinitionChanges changes;

  DefinitionRoundBuilder(DefinitionChanges changes) {
    this.changes = changes;
  }

  @Override
  boolean isEmpty() {
    return false;
  }

  @Override
  boolean acceptsTruncate() {
    return false;
  }

  @Override
  boolean hasSchemaOf(RowChange change) {
    return false;
  }

  @Override
  void put(RowChange change) {
    throw new IllegalStateException("BUG: a row change in a round of DDL: " + change);
  }

  @Override
  long netChanges() {
    return 1;
  }

  @Override
  long retainedBytes() {
    return changes.changes().stream()
        .mapToLong(
            change ->
                COLUMN_BYTES
                    * ((change.before() == null ? 0 : change.before().columns().size())
                        + (change.after() == null ? 0 : change.after().columns().size())))
        .sum();
  }

  @Override
  Round build(List<Emptied> tablesToEmpty) {
    return new Round.Definitions(changes);
  }
}
