package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import java.util.List;

/** A run of consecutive changes in source order that is compacted on its own. Immutable. */
public sealed interface Round {

  /** Tables to truncate by one statement before anything else in the round; usually none. */
  List<Emptied> truncate();

  /** DDL of one statement: tables created, altered or dropped. Nothing else is in the round. */
  record Definitions(DefinitionChanges changes) implements Round {
    @Override
    public List<Emptied> truncate() {
      return List.of();
    }
  }

  /** Net changes. Each source table appears once. */
  record Net(List<Emptied> truncate, List<TableChanges> tables) implements Round {}

  /** Changes of transactional mode, to be applied in this order. */
  record Ordered(List<Emptied> truncate, List<RowChange> changes) implements Round {}
}
