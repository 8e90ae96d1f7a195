package dev.sluice.sink.window.compaction;

import dev.sluice.connector.api.Row;

/**
 * The net change of one row in a round: the target row it matches, and the row it leaves. An insert
 * has no match, a delete has no row; an update or key change has both. Immutable.
 *
 * @param match the values of the old key in column order, or null
 * @param row the complete row, or null; it may have unchanged values
 */
public record NetChange(Row match, Row row) {
  public NetChange {
    if (match == null && row == null) {
      throw new IllegalArgumentException("BUG: a net change with neither match nor row");
    }
  }
}
