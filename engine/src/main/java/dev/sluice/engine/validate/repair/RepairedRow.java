package dev.sluice.engine.validate.repair;

import dev.sluice.connector.api.comparison.RowKey;

/**
 * A row of the target that was made equal to the source's. Immutable.
 *
 * @param key empty for a table without a key
 */
public record RepairedRow(RowKey key, Action action) {

  /** What was done, by DMS's names. */
  public enum Action {
    UPSERT,
    DELETE
  }
}
