package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.Row;

/**
 * What is left of the changes of one row in a round: the row it matches on the target, and the row
 * it leaves. Insert: no match. Delete: no row. Update and key change: both. Immutable.
 *
 * @param match the old key's values in column order, or null
 * @param row the whole row, values possibly unchanged, or null
 */
public record NetChange(Row match, Row row) {
  public NetChange {
    if (match == null && row == null) {
      throw new IllegalArgumentException("BUG: a net change with neither match nor row");
    }
  }
}
