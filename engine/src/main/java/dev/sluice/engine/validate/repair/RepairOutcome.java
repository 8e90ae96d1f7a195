package dev.sluice.engine.validate.repair;

import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a repair of one table has done. Immutable.
 *
 * @param repaired the rows of each session that are now equal to the source's
 * @param left how many rows were not repaired
 * @param why rows were not repaired; empty if all were
 * @param refused rows among them that the target rejects, so that another attempt would not help
 * @param hot the keys of rows among them that the source has changed meanwhile
 * @param inOthersHands the keys of rows among them that others on the target are changing
 */
public record RepairOutcome(
    List<RepairedRows> repaired,
    int left,
    Optional<String> why,
    List<Refused> refused,
    Set<RowKey> hot,
    Set<RowKey> inOthersHands) {
  public RepairOutcome {
    repaired = List.copyOf(repaired);
    refused = List.copyOf(refused);
    hot = Set.copyOf(hot);
    inOthersHands = Set.copyOf(inOthersHands);
  }

  /**
   * A row that the target rejects, as the session has read it.
   *
   * @param columns of the row's values, by their names on the source
   * @param why the target's message
   */
  public record Refused(List<String> columns, RowDifference row, Proof proof, String why) {}

  /** How many rows were repaired. */
  public int count() {
    return repaired.stream().mapToInt(rows -> rows.rows().size()).sum();
  }
}
