package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.KeyRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Groups ranges of keys that follow each other without a gap, so that they are read together.
 * Stateless.
 */
final class Neighbours {
  private Neighbours() {}

  /** The ranges in their order, divided where there is a gap. */
  static List<List<KeyRange>> of(List<KeyRange> ranges) {
    List<List<KeyRange>> runs = new ArrayList<>();
    for (KeyRange range : ranges) {
      List<KeyRange> last = runs.isEmpty() ? List.of() : runs.get(runs.size() - 1);
      if (last.isEmpty() || !last.get(last.size() - 1).upTo().equals(range.after())) {
        runs.add(new ArrayList<>());
      }
      runs.get(runs.size() - 1).add(range);
    }
    return runs;
  }

  /** The range over all ranges of a group. */
  static KeyRange whole(List<KeyRange> run) {
    return new KeyRange(run.get(0).after(), run.get(run.size() - 1).upTo());
  }
}
