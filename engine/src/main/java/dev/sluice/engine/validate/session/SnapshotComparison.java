package dev.sluice.engine.validate.session;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.engine.validate.session.BothSides.Both;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.util.List;
import java.util.Optional;

/**
 * Compares tables under the two snapshots of one session, which leave out the keys that only the
 * target's shows. Owned by the session's thread; lives as long as the snapshots.
 */
final class SnapshotComparison {
  private final BothSides sides;
  private final TableMappings mappings;
  private final JournalKeys journal;
  private final SessionLimits limits;
  private final SessionTime time;
  private final Proof proof;

  /**
   * @param proof what the snapshots show, and how rows are hashed
   */
  SnapshotComparison(
      BothSides sides,
      TableMappings mappings,
      JournalKeys journal,
      SessionLimits limits,
      SessionTime time,
      Proof proof) {
    this.sides = sides;
    this.mappings = mappings;
    this.journal = journal;
    this.limits = limits;
    this.time = time;
    this.proof = proof;
  }

  /**
   * Compares what is planned of a table.
   *
   * @param touchedKeys so many of the plan's keys are looked up
   */
  TableFindings of(ComparisonPlan plan, int touchedKeys) throws InterruptedException {
    JournalKeys.LeftOut leftOut = notShown(plan, proof.target());
    if (leftOut instanceof JournalKeys.Unknown unknown) {
      return without(plan, End.VOID, unknown.why());
    }
    List<RowKey> keys = ((JournalKeys.Keys) leftOut).keys();
    if (keys.size() > limits.keysLeftOut()) {
      return without(
          plan,
          End.VOID,
          "more than %,d rows were changed by transactions that the snapshot does not show"
              .formatted(limits.keysLeftOut()));
    }
    if (plan.key().isEmpty() && !keys.isEmpty()) {
      return without(
          plan, End.VOID, "a table without a key can be compared only while nobody changes it");
    }
    try {
      return leavingOut(keys, plan, touchedKeys);
    } catch (NotReadable e) {
      return without(plan, TableReport.endOf(e), e.getMessage());
    }
  }

  private TableFindings leavingOut(List<RowKey> keys, ComparisonPlan plan, int touchedKeys)
      throws InterruptedException {
    Both<Optional<SideTable>, Optional<SideTable>> tables =
        sides.ask(
            () -> sides.source().table(plan.table()),
            () -> sides.target().table(mappings.targetOf(plan.table())));
    if (tables.source().isEmpty()) {
      return without(plan, End.VOID, "the source's snapshot has no such table");
    }
    if (tables.target().isEmpty()) {
      return without(
          plan,
          End.REFUSED,
          "target table %s: is not there".formatted(mappings.targetOf(plan.table())));
    }
    SideTable onSource = tables.source().get();
    TablePairing pairing = new TablePairing(plan, mappings, onSource, tables.target().get());
    if (!pairing.refusals().isEmpty()) {
      return without(plan, End.REFUSED, String.join("; ", pairing.refusals()));
    }
    // What is divided by hash is read in one session anyway: smaller parts only cost time.
    SessionLimits ofTable =
        pairing.hasOneOrder()
            ? limits.withChunkRows(plan.parts().rows(limits.chunkRows()))
            : limits;
    TableComparing comparing =
        new TableComparing(
            sides,
            plan,
            pairing,
            keys,
            new TableComparing.Session(
                proof.hash(),
                ofTable,
                time,
                () -> changedMeanwhile(plan),
                sides.target().isOneMoment() || journal.isComplete()));
    try {
      comparing.compareKeys(plan.touched().subList(0, touchedKeys));
      comparing.compareChunks(onSource, pairing.hasOneOrder());
    } catch (NotReadable e) {
      comparing.report().ended(e);
    }
    return comparing.report().findings();
  }

  private List<RowKey> changedMeanwhile(ComparisonPlan plan) {
    if (sides.target().isOneMoment()) {
      return List.of();
    }
    JournalKeys.LeftOut found = notShown(plan, Position.MAX);
    if (found instanceof JournalKeys.Unknown unknown) {
      throw new NotReadable(NotReadable.Reason.CHANGED, unknown.why(), null);
    }
    return ((JournalKeys.Keys) found).keys();
  }

  private JournalKeys.LeftOut notShown(ComparisonPlan plan, Position upTo) {
    return journal.notShown(plan.table(), plan.key(), proof.visibleTransactions(), upTo);
  }

  /** Nothing counts of a table that was truncated or altered before the session's end. */
  TableFindings orVoid(TableFindings found, ComparisonPlan plan) {
    return journal
        .voidedAfter(found.table(), proof.target())
        .map(why -> TableFindings.without(plan, End.VOID, why, found.notes()))
        .orElse(found);
  }

  private static TableFindings without(ComparisonPlan plan, End end, String why) {
    return TableFindings.without(plan, end, why, List.of());
  }
}
