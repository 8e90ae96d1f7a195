package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.Set;

/** Describes the source's published tables. Asked by the thread that decodes the log only. */
public interface SourceTables {

  /**
   * The table of that name; empty where it is not known.
   *
   * @param place of the change that was made under the description wanted, in the log
   */
  Optional<SourceTable> describe(TableId table, Position place);

  /** All leaves of a partitioned table, published or not. */
  Set<TableId> leavesOf(TableId root, Position place);

  /** Whether the changes of a published table are for this task. */
  boolean follows(TableId root);

  /** What a message about definitions says; empty where it is not for this task. */
  Optional<Definition> definition(byte[] message);
}
