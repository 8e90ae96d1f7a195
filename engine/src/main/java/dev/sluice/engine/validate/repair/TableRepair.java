package dev.sluice.engine.validate.repair;

import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.repair.HeldLaneWrite.Read;
import dev.sluice.engine.validate.repair.HiddenRows.OfTarget;
import dev.sluice.engine.validate.repair.RepairOutcome.Refused;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.sink.apply.RowCorrections;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetIndex;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs differing rows of one table: a session reads them on both sides, and transactions between
 * two windows write what the source has. A row that has a unique value which another one is to get
 * is compared as well, and joins. Used by one thread.
 */
public final class TableRepair {
  private static final Logger LOG = LoggerFactory.getLogger(TableRepair.class);

  /** Pages of the part of a table that is searched first. */
  private static final long FIRST_PAGES = 1_024;

  /** A value may be held by a row whose own value is held by another one, and so on. */
  private static final int MOST_JOINS = 5;

  private static final String DAMAGED_INDEX =
      "the target has the row, but not by the index of its key, which is damaged; build that index"
          + " again: REINDEX TABLE CONCURRENTLY on PostgreSQL, ALTER TABLE … FORCE on MariaDB; on"
          + " YugabyteDB create another unique index over the same columns, then drop this one";

  private static final String IN_OTHERS_HANDS = "others are changing them on the target";

  private final ComparisonSession session;
  private final CheckpointQuery checkpoint;
  private final JournalKeys journal;
  private final RowCorrections corrections;
  private final ColumnNames names;
  private final List<TargetIndex> indexes;
  private List<RowKey> expected = List.of();

  /** The search for missing rows; null before the first one. */
  private HiddenRows hidden;

  /**
   * @param checkpoint of the lane that applies the table's changes
   * @param names of columns on the target
   * @param indexes of the target's table
   */
  public TableRepair(
      ComparisonSession session,
      CheckpointQuery checkpoint,
      JournalKeys journal,
      RowCorrections corrections,
      ColumnNames names,
      List<TargetIndex> indexes) {
    this.session = session;
    this.checkpoint = checkpoint;
    this.journal = journal;
    this.corrections = corrections;
    this.names = names;
    this.indexes = List.copyOf(indexes);
  }

  /**
   * The keys of rows that are missing as far as it is known: the table is searched once for them
   * all. Called before the first run.
   */
  public void expectMissing(List<RowKey> keys) {
    expected = List.copyOf(keys);
  }

  /** Notes repaired rows, in the transaction that repairs them. */
  public interface Audit {

    /**
     * Before the rows are changed.
     *
     * @throws dev.sluice.config.document.SluiceException.Data if they could not be noted
     */
    default void check(TargetConnection connection, RepairedRows rows) throws SQLException {}

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
  public RepairOutcome run(ComparisonPlan plan, Selection selection, Audit audit)
      throws InterruptedException {
    if (!plan.wholeValues()) {
      throw new IllegalArgumentException("BUG: a repair without whole values");
    }
    List<RepairedRows> repaired = new ArrayList<>();
    List<Refused> refused = new ArrayList<>();
    Set<RowKey> hot = new HashSet<>();
    Set<RowKey> inOthersHands = new HashSet<>();
    Optional<String> why = Optional.empty();
    int left = 0;
    ComparisonPlan next = plan;
    for (int joins = 0; ; joins++) {
      Round round = round(next, selection, audit);
      round.repaired().ifPresent(repaired::add);
      refused.addAll(round.refused());
      hot.addAll(round.hot());
      inOthersHands.addAll(round.inOthersHands());
      left += round.left();
      why = why.or(round::why);
      Set<RowKey> together = round.together();
      if (together.isEmpty()) {
        break;
      }
      if (joins == MOST_JOINS || together.equals(Set.copyOf(next.touched()))) {
        left += round.conflicting().size();
        if (round.why().isEmpty()) {
          refused.addAll(round.conflicting());
        }
        break;
      }
      next =
          ComparisonPlan.touched(plan.table(), plan.key(), List.copyOf(together)).withWholeValues();
    }
    if (!refused.isEmpty()) {
      why = Optional.of("the target refuses it: " + refused.get(0).why());
    }
    return new RepairOutcome(repaired, left, why, refused, hot, inOthersHands);
  }

  /**
   * What one session, and the transactions after it, have done.
   *
   * @param left rows, without those in conflict
   * @param conflicting rows with a unique value that another row has
   * @param holders the keys of those other rows
   * @param hot the keys of rows that are left because the source has changed them meanwhile
   * @param inOthersHands those that others on the target are changing
   */
  private record Round(
      Optional<RepairedRows> repaired,
      List<Refused> refused,
      int left,
      Optional<String> why,
      List<Refused> conflicting,
      Set<RowKey> holders,
      Set<RowKey> hot,
      Set<RowKey> inOthersHands) {

    static Round nothing(int left, String why) {
      return nothing(left, Optional.of(why), Set.of());
    }

    static Round nothing(int left, Optional<String> why, Set<RowKey> hot) {
      return new Round(Optional.empty(), List.of(), left, why, List.of(), Set.of(), hot, Set.of());
    }

    /** The rows in conflict and those that they are in conflict with. */
    Set<RowKey> together() {
      Set<RowKey> keys = new LinkedHashSet<>(holders);
      conflicting.forEach(row -> keys.add(row.row().key()));
      return keys;
    }
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  private Round round(ComparisonPlan plan, Selection selection, Audit audit)
      throws InterruptedException {
    long reading = System.nanoTime();
    SessionFindings findings = session.run(checkpoint, List.of(plan));
    LOG.debug("table {}: differing rows read in {} ms", plan.table(), millisSince(reading));
    if (findings.obstacle().isPresent()) {
      return Round.nothing(plan.touched().size(), findings.obstacle().get().why());
    }
    if (findings.tables().isEmpty()) {
      return Round.nothing(plan.touched().size(), "the session's time was over");
    }
    TableFindings found = findings.tables().get(0);
    if (found.end() != TableFindings.End.DONE) {
      return Round.nothing(plan.touched().size(), found.why().orElse("the table was not compared"));
    }
    try {
      return round(plan, found, findings.proof().orElseThrow(), selection, audit);
    } catch (NotReadable e) {
      return Round.nothing(plan.touched().size(), "not possible now: " + e.getMessage());
    }
  }

  private Round round(
      ComparisonPlan plan, TableFindings found, Proof proof, Selection selection, Audit audit)
      throws InterruptedException {
    List<RowDifference> wanted = selection.of(found.columns(), found.differences());
    int others = found.differences().size() - wanted.size() + found.hotKeys().size();
    Optional<String> whyOthers =
        !found.hotKeys().isEmpty()
            ? Optional.of("they keep changing")
            : others > 0
                ? Optional.of("only the target has them, or they are not the listed ones")
                : Optional.empty();
    if (wanted.isEmpty()) {
      return Round.nothing(others, whyOthers, Set.copyOf(found.hotKeys()));
    }
    Read read = new Read(plan, session.sourceTable(plan), found.columns(), proof);
    Searched searched = searched(read, wanted);
    Set<RowKey> hidden = searched.hidden();
    long writing = System.nanoTime();
    HeldLaneWrite write = new HeldLaneWrite(session, journal, corrections, names, read, audit);
    RoundWriter writer = new RoundWriter(write, corrections, rows -> groups(read, rows));
    List<RowDifference> writable =
        wanted.stream()
            .filter(row -> !hidden.contains(row.key()) && !searched.isLeft(row))
            .toList();
    if (!writable.isEmpty()) {
      writer.write(writable);
    }
    LOG.debug("table {}: rows written in {} ms", plan.table(), millisSince(writing));
    List<Refused> refused = refused(read, writer.refused());
    refused.addAll(refused(read, write.beyondWriting()));
    wanted.stream()
        .filter(row -> hidden.contains(row.key()))
        .forEach(row -> refused.add(new Refused(read.columns(), row, proof, DAMAGED_INDEX)));
    List<Refused> conflicting = refused(read, writer.conflicting());
    Set<RowKey> hot = new HashSet<>(found.hotKeys());
    hot.addAll(write.changed());
    Set<RowKey> inOthersHands = new HashSet<>(write.inOthersHands());
    writer.inOthersHands().forEach(row -> inOthersHands.add(row.key()));
    // Those of an attempt that was divided may be free in the next one.
    writer.written().forEach(row -> inOthersHands.remove(row.key()));
    return new Round(
        Optional.of(
            new RepairedRows(
                read.columns(), writer.written().stream().map(RepairedRow::new).toList(), proof)),
        refused,
        others + wanted.size() - writer.written().size() - conflicting.size(),
        (inOthersHands.isEmpty() ? writer.why() : Optional.of(IN_OTHERS_HANDS))
            .or(searched::why)
            .or(() -> whyOthers),
        conflicting,
        plan.key().isEmpty() || conflicting.isEmpty()
            ? Set.of()
            : new ValueHolders(session, indexes, names(plan))
                .of(plan, read.onSource(), read.columns(), writer.conflicting().keySet()),
        hot,
        inOthersHands);
  }

  private static List<Refused> refused(Read read, Map<RowDifference, String> rows) {
    List<Refused> refused = new ArrayList<>();
    rows.forEach((row, why) -> refused.add(new Refused(read.columns(), row, read.proof(), why)));
    return refused;
  }

  private UnaryOperator<String> names(ComparisonPlan plan) {
    return name -> names.orSame(plan.table(), name);
  }

  private List<List<RowDifference>> groups(Read read, List<RowDifference> rows) {
    return new ConflictGroups(indexes, names(read.plan()))
        .of(
            rows,
            row ->
                Stream.of(row.source(), row.target())
                    .flatMap(Optional::stream)
                    .map(image -> byName(read.columns(), image))
                    .toList());
  }

  private static Map<String, String> byName(List<String> columns, Image image) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      values.put(columns.get(i), image.values().get(i));
    }
    return values;
  }

  /**
   * What the search for missing rows has found.
   *
   * @param hidden the keys of rows that the target has
   * @param why it was not made, so that no missing row is inserted; empty if it was made
   */
  private record Searched(Set<RowKey> hidden, Optional<String> why) {

    boolean isLeft(RowDifference row) {
      return why.isPresent() && row.target().isEmpty();
    }
  }

  private Searched searched(Read read, List<RowDifference> wanted) throws InterruptedException {
    long start = System.nanoTime();
    try {
      return new Searched(hidden(read, wanted), Optional.empty());
    } catch (NotReadable e) {
      return new Searched(Set.of(), Optional.of("not possible now: " + e.getMessage()));
    } finally {
      LOG.debug("table {}: hidden rows searched in {} ms", read.plan().table(), millisSince(start));
    }
  }

  /** The missing rows that the target does have, where only a damaged index hides them. */
  private Set<RowKey> hidden(Read read, List<RowDifference> wanted) throws InterruptedException {
    List<RowKey> missing =
        read.plan().key().isEmpty()
            ? List.of()
            : wanted.stream()
                .filter(difference -> difference.target().isEmpty())
                .map(RowDifference::key)
                .toList();
    if (missing.isEmpty()) {
      return Set.of();
    }
    if (hidden == null) {
      hidden =
          new HiddenRows(
              () -> new OfTarget(session.targetRows(read.plan(), read.onSource(), HiddenRows.LIFE)),
              expected,
              FIRST_PAGES);
    }
    return hidden.among(missing);
  }
}
