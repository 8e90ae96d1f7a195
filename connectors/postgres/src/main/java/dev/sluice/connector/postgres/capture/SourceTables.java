package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import java.util.Optional;
import java.util.Set;

/**
 * Describes the source's published tables as they are now. Asked by the thread that decodes the log
 * only.
 */
public interface SourceTables {

  /** The table of that name; empty where the source has none any more. */
  Optional<SourceTable> describe(TableId table);

  /** All leaves of a partitioned table, published or not. */
  Set<TableId> leavesOf(TableId root);
}
