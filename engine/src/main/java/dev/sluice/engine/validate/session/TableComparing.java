package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.WholeTable;
import dev.sluice.engine.validate.session.BothSides.Both;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares what was planned of one table, in the order: touched keys, then chunks. Collects its
 * findings as it goes, so that an interruption loses nothing. Owned by the session's thread.
 */
final class TableComparing {
  private static final int LOOKED_UP_AT_ONCE = 5_000;

  /** Parts of the session's time. */
  private static final double END_OF_LOOKUPS = 0.8;

  private static final double END_OF_LOOKUPS_BEFORE_CHUNKS = 0.5;

  /** Keys that are left out of a recorded statement, at most. */
  private static final int MOST_RECORDED_KEYS = 1_000;

  /** No sweep begins after it. */
  private static final double END_OF_SWEEPS = 0.7;

  private static final int MOST_BUCKETS = 1 << 16;

  /** A row is rarely smaller. */
  private static final int ROW_BYTES = 64;

  private final ComparisonPlan plan;
  private final SessionLimits limits;
  private final SessionTime time;
  private final RowsOfBothSides rows;
  private final KeyLookup lookup;
  private final TableReport report;
  private final UnequalRows unequal;

  /**
   * @param leftOut keys that are not compared
   */
  TableComparing(
      BothSides sides,
      ComparisonPlan plan,
      TablePairing pairing,
      List<RowKey> leftOut,
      Session session) {
    this.plan = plan;
    this.limits = session.limits();
    this.time = session.time();
    this.rows =
        new RowsOfBothSides(
                sides,
                pairing.ofSource(filter -> sides.source().condition(plan.table(), filter)),
                pairing.ofTarget(),
                session.hash())
            .leavingOut(leftOut);
    // The key's index may not find rows that are there if its collation is stale.
    boolean trusted = pairing.hasOneOrder() || pairing.notes().isEmpty();
    Lookup how = trusted ? Lookup.BY_INDEX : Lookup.BY_SCAN;
    this.lookup = rows.lookup(how);
    this.report = new TableReport(plan, pairing, leftOut.size(), this::recheck);
    this.unequal = new UnequalRows(rows, how, session, report);
  }

  /** The sums of an overfull chunk are those of its first rows: no statement gives them again. */
  private Optional<Recheck> recheck(ChunkBounds bounds, long size) {
    boolean overfull =
        bounds instanceof KeyRange && size > (long) limits.chunkRows() * RangeSweep.OVERFULL;
    boolean repeatable = !overfull && rows.source().leftOut().size() <= MOST_RECORDED_KEYS;
    return plan.recorded()
        ? Optional.of(
            new Recheck(
                rows.source(),
                rows.target(),
                repeatable ? rows.statements(bounds) : Optional.empty()))
        : Optional.empty();
  }

  /**
   * What tables of a session are compared with.
   *
   * @param changed asked after rows of the target were read
   * @param findsAgain whether a row that was read is found again, or its change is known
   */
  record Session(
      RowHash hash,
      SessionLimits limits,
      SessionTime time,
      UnequalRows.ChangedMeanwhile changed,
      boolean findsAgain) {}

  TableReport report() {
    return report;
  }

  /** Looks touched keys up, as far as time allows; the others wait for the next session. */
  void compareKeys(List<RowKey> keys) throws InterruptedException {
    double end = plan.ranges().isEmpty() ? END_OF_LOOKUPS : END_OF_LOOKUPS_BEFORE_CHUNKS;
    for (int i = 0; i < keys.size(); i += LOOKED_UP_AT_ONCE) {
      if (time.isOver(end)) {
        report.keysLeft(keys.size() - i);
        return;
      }
      KeyLookup.Hashed found =
          lookup.compare(keys.subList(i, Math.min(keys.size(), i + LOOKED_UP_AT_ONCE)));
      report.equal(found.equal());
      report.hot(found.hot());
      int most = Math.max(0, unequal.mayFind());
      unequal.read(found.unequal().subList(0, Math.min(most, found.unequal().size())));
    }
  }

  /** Reads the planned parts. */
  void compareChunks(SideTable known, boolean oneOrder) throws InterruptedException {
    if (plan.ranges().isEmpty()) {
      return;
    }
    if (plan.key().isEmpty()) {
      compareWhole();
    } else if (oneOrder) {
      compareRanges();
    } else {
      compareBuckets(known.bytes());
    }
  }

  /**
   * Chunks are reported in the order of their keys. An unequal chunk that can no longer be examined
   * is part of the rest. The first one of a session is examined whatever it has, so each session
   * gets further. A sweep ends early if much is unequal; the next one goes on while there is time.
   */
  private void compareRanges() throws InterruptedException {
    RangeSweep sweep = rows.sweep(limits.chunkRows(), time);
    RangeSweep.Result swept = sweep.run(plan.ranges());
    report.rest(List.of());
    Optional<NotReadable> failure = compareChunks(swept.chunks()).or(swept::failure);
    while (failure.isEmpty() && !swept.rest().isEmpty() && mayGoOn()) {
      swept = sweep.run(swept.rest());
      failure = compareChunks(swept.chunks()).or(swept::failure);
    }
    report.alsoRest(swept.rest());
    failure.ifPresent(report::ended);
  }

  private boolean mayGoOn() {
    return unequal.mayFind() > 0 && !time.isOver(END_OF_SWEEPS);
  }

  /** Examines the unequal ones; returns why it stopped. */
  private Optional<NotReadable> compareChunks(List<RangeSweep.Chunk> chunks)
      throws InterruptedException {
    Optional<NotReadable> failure = Optional.empty();
    // Chunks before it are examined: unequal blocks of many chunks are read at once.
    int looked = 0;
    for (int i = 0; i < chunks.size(); i++) {
      RangeSweep.Chunk chunk = chunks.get(i);
      if (chunk.isEqual() || i < looked) {
        report.chunk(chunk.range(), chunk.source(), chunk.target(), true);
      } else if (failure.isPresent() || unequal.mayFind() <= 0) {
        leave(chunk);
      } else {
        try {
          if (chunk.unequal().isPresent()) {
            looked = compareBlocks(chunks, i);
            report.chunk(chunk.range(), chunk.source(), chunk.target(), true);
          } else {
            compareRange(chunk);
          }
        } catch (NotReadable e) {
          failure = Optional.of(e);
          leave(chunk);
        }
      }
    }
    return failure;
  }

  /**
   * Reads the unequal blocks of a chunk and of those behind it, but not many more than differences
   * may be found.
   *
   * @return the number of the first chunk whose blocks were not read
   */
  private int compareBlocks(List<RangeSweep.Chunk> chunks, int first) throws InterruptedException {
    int most = Math.max(limits.chunkRows(), unequal.mayFind());
    ChunkBlocks blocks = ChunkBlocks.of(limits.chunkRows());
    List<KeyRange> differing = new ArrayList<>();
    int next = first;
    while (next < chunks.size()
        && (next == first || differing.size() * blocks.rows() < most)
        && (chunks.get(next).isEqual() || chunks.get(next).unequal().isPresent())) {
      differing.addAll(chunks.get(next++).unequal().orElse(List.of()));
    }
    unequal.readOfBlocks(differing, Math.toIntExact(differing.size() * blocks.most()));
    return next;
  }

  private void leave(RangeSweep.Chunk chunk) {
    report.chunk(chunk.range(), chunk.source(), chunk.target(), false);
    report.alsoRest(List.of(chunk.range()));
  }

  /** Examines an unequal chunk, first divided if one side has many more rows than expected. */
  private void compareRange(RangeSweep.Chunk chunk) throws InterruptedException {
    if (!chunk.isOverfull()) {
      compareRows(chunk.range(), chunk.source(), chunk.target());
      return;
    }
    RangeSweep.Result parts = rows.sweep(limits.chunkRows(), time).runByTarget(chunk.range());
    Optional<NotReadable> failure = parts.failure();
    for (RangeSweep.Chunk part : parts.chunks()) {
      if (unequal.mayFind() <= 0 || failure.isPresent()) {
        leave(part);
      } else {
        compareRows(part.range(), part.source(), part.target());
      }
    }
    report.alsoRest(parts.rest());
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private void compareRows(ChunkBounds bounds, ChunkSums left, ChunkSums right)
      throws InterruptedException {
    report.chunk(bounds, left, right, unequal.readOfChunk(bounds, left, right));
  }

  private void compareBuckets(long bytes) throws InterruptedException {
    long chunks = bytes / ROW_BYTES / limits.chunkRows();
    int of = (int) Math.min(MOST_BUCKETS, Long.highestOneBit(Math.max(1, chunks)) * 2);
    KeyBuckets buckets = KeyBuckets.all(of);
    Both<List<ChunkSums>, List<ChunkSums>> sums =
        rows.ask((view, those) -> view.sums(those, buckets, rows.hash()));
    report.rest(List.of());
    List<Integer> differing = new ArrayList<>();
    for (int i = 0; i < of; i++) {
      if (sums.source().get(i).equals(sums.target().get(i))) {
        report.chunk(buckets.only(i), sums.source().get(i), sums.target().get(i), true);
      } else {
        differing.add(i);
      }
    }
    try {
      for (int bucket : differing) {
        compareRows(buckets.only(bucket), sums.source().get(bucket), sums.target().get(bucket));
      }
    } catch (NotReadable e) {
      report.alsoRest(List.of(KeyRange.ALL));
      throw e;
    }
  }

  private void compareWhole() throws InterruptedException {
    Both<ChunkSums, ChunkSums> sums =
        rows.ask(
            (view, those) ->
                view.sums(those, WholeTable.INSTANCE, rows.hash(), Long.MAX_VALUE - 1));
    report.rest(List.of());
    boolean all = unequal.readWithoutKey(sums.source(), sums.target());
    report.chunk(WholeTable.INSTANCE, sums.source(), sums.target(), all);
  }
}
