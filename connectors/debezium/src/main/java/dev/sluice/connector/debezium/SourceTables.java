package dev.sluice.connector.debezium;

import dev.sluice.config.TableId;
import java.util.Optional;
import java.util.Set;

/** Describes the source's published tables as they are now. Asked by the capture's thread only. */
public interface SourceTables {

  /** The table of that name; empty where the source has none any more. */
  Optional<SourceTable> describe(TableId table);

  /** All leaves of a partitioned table, published or not. */
  Set<TableId> leavesOf(TableId root);
}
