package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Collects the findings of one table. Owned by the session's thread. */
final class TableReport {
  private final ComparisonPlan plan;
  private final TablePairing pairing;
  private final int keysLeftOut;
  private final Rechecks rechecks;
  private final List<ChunkProof> chunks = new ArrayList<>();
  private final List<ChunkBounds> rest = new ArrayList<>();
  private final Set<RowKey> equal = new LinkedHashSet<>();
  private final Set<RowKey> hot = new LinkedHashSet<>();

  /** For a table without a key, equal rows are listed as often as they occur. */
  private final Collection<RowDifference> differences;

  private final List<String> notes;
  private int keysLeft;
  private End end = End.DONE;
  private Optional<String> why = Optional.empty();

  /**
   * @param keysLeftOut keys that are not compared
   * @param rechecks how chunks are read again
   */
  TableReport(ComparisonPlan plan, TablePairing pairing, int keysLeftOut, Rechecks rechecks) {
    this.rechecks = rechecks;
    this.plan = plan;
    this.pairing = pairing;
    this.keysLeftOut = keysLeftOut;
    this.notes = pairing.notes();
    this.rest.addAll(plan.ranges());
    this.differences = plan.key().isEmpty() ? new ArrayList<>() : new LinkedHashSet<>();
  }

  /** How chunks are read again. */
  interface Rechecks {
    /**
     * @param rows that the larger side had
     */
    Optional<Recheck> of(ChunkBounds bounds, long rows);
  }

  void chunk(ChunkBounds bounds, ChunkSums source, ChunkSums target, boolean resolved) {
    chunks.add(
        new ChunkProof(
            bounds,
            source,
            target,
            keysLeftOut,
            resolved,
            rechecks.of(bounds, Math.max(source.rows(), target.rows()))));
  }

  /** Replaces the planned parts by those that were not read. */
  void rest(List<KeyRange> parts) {
    rest.clear();
    rest.addAll(parts);
  }

  /** Adds parts that were not read. */
  void alsoRest(List<KeyRange> parts) {
    rest.addAll(parts);
  }

  void equal(List<RowKey> keys) {
    equal.addAll(keys);
  }

  void hot(List<RowKey> keys) {
    hot.addAll(keys);
  }

  /** Notes how many touched keys were not looked up. */
  void keysLeft(int keys) {
    keysLeft = keys;
  }

  void differences(List<RowDifference> found) {
    differences.addAll(found);
  }

  int differences() {
    return differences.size();
  }

  /** Notes that the comparison ended before everything that was planned was compared. */
  void ended(NotReadable failure) {
    end = endOf(failure);
    why = Optional.of(failure.getMessage());
  }

  static End endOf(NotReadable failure) {
    return switch (failure.reason()) {
      case BLOCKED -> End.BLOCKED;
      case CHANGED -> End.VOID;
      case OUT_OF_TIME -> End.OUT_OF_TIME;
      case REFUSED, FAILED -> End.REFUSED;
    };
  }

  TableFindings findings() {
    if (end == End.VOID || end == End.REFUSED) {
      return TableFindings.without(plan, end, why.orElse(""), notes);
    }
    boolean more = end == End.DONE && (!rest.isEmpty() || keysLeft > 0);
    return new TableFindings(
        plan.table(),
        more ? End.OUT_OF_TIME : end,
        more ? Optional.of("the session's time was over") : why,
        pairing.columns(),
        chunks,
        rest,
        List.copyOf(equal),
        List.copyOf(differences),
        List.copyOf(hot),
        pairing.notCompared(),
        notes);
  }
}
