package dev.sluice.engine.lane;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Spreads tables over lanes: the largest first, each onto the lane that has least so far. Pure.
 *
 * @param lanes the tables of each, by their names on the target; the first is the main lane
 */
public record LaneSpread(List<List<TableId>> lanes) {
  public LaneSpread {
    lanes = lanes.stream().map(List::copyOf).toList();
  }

  /**
   * @param sizes of the target tables, in any unit
   * @param most lanes; there are fewer where there are fewer tables, but always one
   */
  public static LaneSpread of(Map<TableId, Long> sizes, int most) {
    int count = Math.max(1, Math.min(most, sizes.size()));
    List<List<TableId>> lanes = new ArrayList<>();
    long[] loads = new long[count];
    for (int i = 0; i < count; i++) {
      lanes.add(new ArrayList<>());
    }
    List<Map.Entry<TableId, Long>> largestFirst = new ArrayList<>(sizes.entrySet());
    largestFirst.sort(
        Map.Entry.<TableId, Long>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()));
    for (Map.Entry<TableId, Long> table : largestFirst) {
      int least = 0;
      for (int i = 1; i < count; i++) {
        if (loads[i] < loads[least]) {
          least = i;
        }
      }
      lanes.get(least).add(table.getKey());
      // A table that was never looked at counts as well, so that small ones are spread too.
      loads[least] += Math.max(1, table.getValue());
    }
    return new LaneSpread(lanes);
  }
}
