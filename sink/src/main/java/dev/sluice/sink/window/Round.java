package dev.sluice.sink.window;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import java.util.List;

/** A contiguous run of changes in source order, applied as one. Immutable. */
public sealed interface Round {

  /** Tables to empty by one statement before anything else of the round; mostly none. */
  List<Emptied> truncate();

  /** Compacted on its own: each source table appears once. */
  record Net(List<Emptied> truncate, List<TableChanges> tables) implements Round {}

  /** As the source did it, for the transactional mode: to be applied in this order. */
  record Ordered(List<Emptied> truncate, List<RowChange> changes) implements Round {}
}
