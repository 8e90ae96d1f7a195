package dev.sluice.engine.lane;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Distributes tables over lanes: the largest first, each to the lane with the least so far. Pure.
 *
 * @param lanes the tables of each, by their names on the target; the first is the main lane
 */
public record LaneSpread(List<List<TableId>> lanes) {
  public LaneSpread {
    lanes = lanes.stream().map(List::copyOf).toList();
  }

  /**
   * @param sizes of the target tables, in any unit
   * @param most the number of lanes; there are fewer if there are fewer tables, but at least one
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
      // A table of size 0 counts, too, so that small tables are distributed.
      loads[least] += Math.max(1, table.getValue());
    }
    return new LaneSpread(lanes);
  }
}
