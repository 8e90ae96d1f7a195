package dev.sluice.engine.validate.repair;

import java.util.List;
import java.util.Optional;

/**
 * What a repair of one table has done. Immutable.
 *
 * @param repaired the rows that are as on the source now
 * @param left how many rows are left for another attempt
 * @param why rows are left; empty if none are
 */
public record RepairOutcome(List<RepairedRow> repaired, int left, Optional<String> why) {
  public RepairOutcome {
    repaired = List.copyOf(repaired);
  }

  static RepairOutcome nothing(int left, String why) {
    return new RepairOutcome(List.of(), left, Optional.of(why));
  }
}
