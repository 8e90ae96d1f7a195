package dev.sluice.engine.validate.repair;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TablePlan;
import dev.sluice.engine.validate.session.TargetRows;
import dev.sluice.sink.apply.RowCorrections;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Repairs differing rows of one table: a session reads them on both sides, and a transaction
 * between two windows writes what the source has. A row that the journal has changed meanwhile, and
 * one that is not what the session read, are left for another attempt. So nothing newer is
 * overwritten, and no row that the source has deleted comes back. Used by one thread.
 */
public final class TableRepair {
  /** Of sessions that wait for the lane; each of their reads is short. */
  private static final Duration LIFE = Duration.ofMinutes(1);

  private static final Duration LONGEST_SCAN = Duration.ofMinutes(10);

  private final ComparisonSession session;
  private final CheckpointQuery checkpoint;
  private final JournalKeys journal;
  private final RowCorrections corrections;
  private final ColumnNames names;

  /**
   * @param checkpoint of the lane that applies the table's changes
   * @param names of columns on the target
   */
  public TableRepair(
      ComparisonSession session,
      CheckpointQuery checkpoint,
      JournalKeys journal,
      RowCorrections corrections,
      ColumnNames names) {
    this.session = session;
    this.checkpoint = checkpoint;
    this.journal = journal;
    this.corrections = corrections;
    this.names = names;
  }

  /** Notes repaired rows, in the transaction that repairs them. */
  public interface Audit {

    void write(TargetConnection connection, RepairedRows rows) throws SQLException;
  }

  /** Decides which rows that a session has found to differ are repaired. */
  public interface Selection {

    /**
     * @param columns of the rows' values, by their names on the source
     */
    List<RowDifference> of(List<String> columns, List<RowDifference> found);
  }

  /**
   * Repairs rows.
   *
   * @param plan the rows' keys, as touched ones; the complete table if it has no key. With whole
   *     values: what a session shows of a large value must never be written
   * @param selection of the rows that the session finds
   */
  public RepairOutcome run(TablePlan plan, Selection selection, Audit audit)
      throws InterruptedException {
    if (!plan.wholeValues()) {
      throw new IllegalArgumentException("BUG: a repair without whole values");
    }
    SessionFindings findings = session.run(checkpoint, List.of(plan));
    if (findings.obstacle().isPresent()) {
      return RepairOutcome.nothing(plan.touched().size(), findings.obstacle().get().why());
    }
    if (findings.tables().isEmpty()) {
      return RepairOutcome.nothing(plan.touched().size(), "the session's time was over");
    }
    TableFindings found = findings.tables().get(0);
    if (found.end() != TableFindings.End.DONE) {
      return RepairOutcome.nothing(
          plan.touched().size(), found.why().orElse("the table was not compared"));
    }
    List<RowDifference> wanted = selection.of(found.columns(), found.differences());
    if (wanted.isEmpty()) {
      int others = found.differences().size();
      return others == 0
          ? new RepairOutcome(List.of(), 0, Optional.empty())
          : RepairOutcome.nothing(
              others, "only the target has them, or they are not the listed ones");
    }
    SideTable onSource = session.sourceTable(plan);
    List<RowKey> hidden = hidden(plan, onSource, wanted);
    if (!hidden.isEmpty()) {
      return RepairOutcome.nothing(
          wanted.size(),
          "the target has %s, but not by the index of its key, which is damaged; run REINDEX TABLE CONCURRENTLY there"
              .formatted(hidden.get(0)));
    }
    // Before anything is held: the source may be silent, and sessions take time.
    try (TargetRows now = session.targetRows(plan, onSource, LIFE)) {
      return correct(plan, found, wanted, findings.proof().orElseThrow(), audit, now);
    }
  }

  /**
   * The missing rows that the target does have, where only a damaged index hides them: it would
   * accept a second row of the same key. A row that the index finds now was inserted since the
   * session.
   */
  private List<RowKey> hidden(TablePlan plan, SideTable onSource, List<RowDifference> wanted) {
    List<RowKey> missing =
        plan.key().isEmpty()
            ? List.of()
            : wanted.stream()
                .filter(difference -> difference.target().isEmpty())
                .map(RowDifference::key)
                .toList();
    if (missing.isEmpty()) {
      return missing;
    }
    try (TargetRows rows = session.targetRows(plan, onSource, LONGEST_SCAN)) {
      List<RowKey> there = List.copyOf(rows.read(missing, Lookup.BY_SCAN).keySet());
      Set<RowKey> byIndex = rows.read(there, Lookup.BY_INDEX).keySet();
      return there.stream().filter(key -> !byIndex.contains(key)).toList();
    }
  }

  private RepairOutcome correct(
      TablePlan plan,
      TableFindings found,
      List<RowDifference> wanted,
      Proof proof,
      Audit audit,
      TargetRows now) {
    RepairChanges changes = new RepairChanges(plan.table(), plan.key(), found.columns());
    List<RowDifference> taken = new ArrayList<>();
    try {
      corrections.correct(
          plan.table(),
          applied -> {
            taken.clear();
            taken.addAll(unchanged(plan, wanted, proof, applied, now));
            return taken.isEmpty()
                ? Optional.<TableChanges>empty()
                : Optional.of(changes.of(taken, names));
          },
          connection ->
              audit.write(
                  connection,
                  new RepairedRows(found.columns(), RepairChanges.rows(taken).toList(), proof)));
    } catch (RowCorrections.HeldTooLong e) {
      return RepairOutcome.nothing(wanted.size(), e.getMessage());
    } catch (SluiceException.Data | SluiceException.Table e) {
      return RepairOutcome.nothing(wanted.size(), "the target rejects it: " + e.getMessage());
    } catch (SluiceException.Retryable | NotReadable e) {
      return RepairOutcome.nothing(wanted.size(), "not possible now: " + e.getMessage());
    }
    int left = found.differences().size() - taken.size();
    return new RepairOutcome(
        RepairChanges.rows(taken).toList(),
        left,
        left == 0
            ? Optional.empty()
            : Optional.of("they were changed meanwhile, or only the target has them"));
  }

  /**
   * The differences that still are what the session read, while the table's lane is held.
   *
   * @param applied up to where the target has the table's changes now
   */
  private List<RowDifference> unchanged(
      TablePlan plan, List<RowDifference> wanted, Proof proof, Position applied, TargetRows rows) {
    JournalKeys.LeftOut changed =
        journal.notShown(plan.table(), plan.key(), proof.visibleTransactions(), applied);
    if (!(changed instanceof JournalKeys.Keys keys)
        || journal.voidedAfter(plan.table(), proof.target()).isPresent()) {
      return List.of();
    }
    if (plan.key().isEmpty()) {
      return wanted;
    }
    Set<RowKey> hot = new HashSet<>(keys.keys());
    List<RowDifference> still =
        wanted.stream().filter(difference -> !hot.contains(difference.key())).toList();
    Map<RowKey, List<Image>> now =
        rows.read(still.stream().map(RowDifference::key).toList(), Lookup.BY_INDEX);
    return still.stream()
        .filter(
            difference ->
                now.getOrDefault(difference.key(), List.of())
                    .equals(difference.target().map(List::of).orElse(List.of())))
        .toList();
  }
}
