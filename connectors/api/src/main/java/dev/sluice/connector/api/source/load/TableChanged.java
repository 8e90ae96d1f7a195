package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;

/**
 * A table that differs from its record before the snapshot. The snapshot may no longer show its
 * rows, and COPY would silently read none. It must be loaded under a new snapshot.
 *
 * @param difference the difference, for messages
 */
public record TableChanged(TableId table, String difference) {
  /** For messages. */
  @Override
  public String toString() {
    return "table %s %s".formatted(table, difference);
  }
}
