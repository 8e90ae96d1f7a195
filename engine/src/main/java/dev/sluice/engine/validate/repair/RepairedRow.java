package dev.sluice.engine.validate.repair;

import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.RowDifference.Image;
import java.util.Optional;

/**
 * A row of the target that was made equal to the source's. Immutable.
 *
 * @param key empty for a table without a key
 * @param before the row as the target had it, complete; empty if it had none
 */
public record RepairedRow(RowKey key, Action action, Optional<Image> before) {

  /** What was done, by DMS's names. */
  public enum Action {
    UPSERT,
    DELETE
  }
}
