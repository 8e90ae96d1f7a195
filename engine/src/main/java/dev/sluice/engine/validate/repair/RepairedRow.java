package dev.sluice.engine.validate.repair;

import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.RowDifference;

/**
 * A row of the target that was made equal to the source's. Immutable.
 *
 * @param difference the complete rows of both sides as they were: what was written, and what was
 *     overwritten or deleted
 */
public record RepairedRow(RowDifference difference) {

  /** What was done, by DMS's names. */
  public enum Action {
    UPSERT,
    DELETE
  }

  /** As the source has it, else as the target had it; empty for a table without a key. */
  public RowKey key() {
    return difference.key();
  }

  public Action action() {
    return difference.source().isPresent() ? Action.UPSERT : Action.DELETE;
  }
}
