package dev.sluice.engine.validate.repair;

import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.engine.validate.repair.TableRepair.Audit;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TargetRows;
import dev.sluice.sink.apply.RowCorrections;
import dev.sluice.sink.apply.RowCorrections.HeldTooLong;
import dev.sluice.sink.apply.RowCorrections.OtherWriters;
import dev.sluice.sink.apply.RowCorrections.RowHeld;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes rows that a session has read on the source, while the table's lane is held between two
 * windows. Rows that the journal has changed meanwhile, and rows that differ from what the session
 * read, are left for another attempt. So nothing newer is overwritten, and no row that the source
 * has deleted is restored. Used by one thread.
 */
final class HeldLaneWrite implements RoundWriter.Transaction {
  /** The life of sessions that wait for the lane; each of their reads is short. */
  private static final Duration LIFE = Duration.ofMinutes(1);

  private final ComparisonSession session;
  private final JournalKeys journal;
  private final RowCorrections corrections;
  private final ColumnNames names;
  private final Read read;
  private final Audit audit;
  private final Set<RowKey> changed = new HashSet<>();
  private final Set<RowKey> inOthersHands = new HashSet<>();
  private final Map<RowDifference, String> beyondWriting = new LinkedHashMap<>();

  /**
   * The result of a session.
   *
   * @param onSource the table as the source has it
   * @param columns of the rows' values, by their names on the source
   */
  record Read(ComparisonPlan plan, SideTable onSource, List<String> columns, Proof proof) {}

  HeldLaneWrite(
      ComparisonSession session,
      JournalKeys journal,
      RowCorrections corrections,
      ColumnNames names,
      Read read,
      Audit audit) {
    this.session = session;
    this.journal = journal;
    this.corrections = corrections;
    this.names = names;
    this.read = read;
    this.audit = audit;
  }

  @Override
  public List<RowDifference> write(List<RowDifference> rows) throws HeldTooLong, RowHeld {
    ComparisonPlan plan = read.plan();
    RepairChanges changes = new RepairChanges(plan.table(), plan.key(), read.columns());
    List<RowDifference> taken = new ArrayList<>();
    // Opened before the lane is held, since that takes time.
    try (TargetRows now = session.targetRows(plan, read.onSource(), LIFE)) {
      corrections.correct(
          plan.table(),
          (applied, others) -> {
            taken.clear();
            taken.addAll(unchanged(rows, applied, others, now));
            return taken.isEmpty()
                ? Optional.<TableChanges>empty()
                : Optional.of(changes.of(taken, names));
          },
          new RowCorrections.Record() {
            @Override
            public void check(TargetConnection connection) throws SQLException {
              audit.check(connection, repaired(taken));
            }

            @Override
            public void write(TargetConnection connection) throws SQLException {
              audit.write(connection, repaired(taken));
            }
          });
    }
    return taken;
  }

  private RepairedRows repaired(List<RowDifference> rows) {
    return new RepairedRows(
        read.columns(), rows.stream().map(RepairedRow::new).toList(), read.proof());
  }

  /**
   * The keys of rows that were skipped because the source has changed them since they were read.
   */
  Set<RowKey> changed() {
    return changed;
  }

  /** The keys of rows that were skipped because other sessions on the target were changing them. */
  Set<RowKey> inOthersHands() {
    return inOthersHands;
  }

  /**
   * The rows that differ only in columns that the target computes, with the reason. Writing them
   * would change nothing.
   */
  Map<RowDifference, String> beyondWriting() {
    return beyondWriting;
  }

  /**
   * The differences that still are what the session read, while the table's lane is held.
   *
   * @param applied the position up to which the target has the table's changes
   */
  private List<RowDifference> unchanged(
      List<RowDifference> rows, Position applied, OtherWriters others, TargetRows target)
      throws SQLException {
    ComparisonPlan plan = read.plan();
    JournalKeys.LeftOut leftOut =
        journal.notShown(plan.table(), plan.key(), read.proof().visibleTransactions(), applied);
    if (!(leftOut instanceof JournalKeys.Keys changedKeys)
        || journal.voidedAfter(plan.table(), read.proof().target()).isPresent()) {
      return List.of();
    }
    if (plan.key().isEmpty()) {
      others.keepFrom(List.of(), List.of());
      return rows;
    }
    Set<RowKey> hot = new HashSet<>(changedKeys.keys());
    rows.stream().map(RowDifference::key).filter(hot::contains).forEach(changed::add);
    List<RowDifference> still = rows.stream().filter(row -> !hot.contains(row.key())).toList();
    if (still.isEmpty()) {
      return still;
    }
    List<RowKey> keys = still.stream().map(RowDifference::key).toList();
    Set<RowKey> kept =
        others.keepFrom(
            plan.key().stream().map(name -> names.orSame(plan.table(), name)).toList(), keys);
    Map<RowKey, List<Image>> now = target.read(keys, Lookup.BY_INDEX);
    now.keySet().stream().filter(key -> !kept.contains(key)).forEach(inOthersHands::add);
    ComputedDifference computed = new ComputedDifference(target.computed());
    still.forEach(row -> computed.of(row).ifPresent(why -> beyondWriting.put(row, why)));
    return still.stream()
        .filter(row -> !beyondWriting.containsKey(row))
        .filter(row -> row.target().isEmpty() || kept.contains(row.key()))
        .filter(
            row ->
                now.getOrDefault(row.key(), List.of())
                    .equals(row.target().map(List::of).orElse(List.of())))
        .toList();
  }
}
