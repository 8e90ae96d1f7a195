package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import java.util.List;

/** A contiguous run of changes in source order, applied as one. Immutable. */
public sealed interface Round {

  /** Tables to empty by one statement before anything else of the round; mostly none. */
  List<Emptied> truncate();

  /** Tables made, altered or dropped by one statement; nothing else is in the round. */
  record Definitions(DefinitionChanges changes) implements Round {
    @Override
    public List<Emptied> truncate() {
      return List.of();
    }
  }

  /** Compacted on its own: each source table appears once. */
  record Net(List<Emptied> truncate, List<TableChanges> tables) implements Round {}

  /** As the source did it, for the transactional mode: to be applied in this order. */
  record Ordered(List<Emptied> truncate, List<RowChange> changes) implements Round {}
}
