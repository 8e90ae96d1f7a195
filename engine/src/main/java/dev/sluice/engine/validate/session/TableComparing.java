package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.HashParts;
import dev.sluice.connector.api.comparison.HashedRow;
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
  /** Rows of an overfull chunk that are read: more are divided first. */
  private static final int OVERFULL = 4;

  /** Rows whose hashes are compared one by one, at most. */
  private static final int MOST_AT_ONCE = 100_000;

  /** Parts into which the rows of an unequal chunk are divided. */
  private static final int PARTS = 256;

  private static final int READ_AT_ONCE = 1_000;
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

  private final BothSides sides;
  private final ComparisonPlan plan;
  private final RowHash hash;
  private final SessionLimits limits;
  private final SessionTime time;
  private final ChangedMeanwhile changed;
  private final ComparedRows source;
  private final ComparedRows target;
  private final KeyLookup lookup;
  private final Lookup how;
  private final TableReport report;

  /**
   * @param leftOut keys that are not compared
   */
  TableComparing(
      BothSides sides,
      ComparisonPlan plan,
      TablePairing pairing,
      List<RowKey> leftOut,
      Session session) {
    this.sides = sides;
    this.plan = plan;
    this.hash = session.hash();
    this.limits = session.limits();
    this.time = session.time();
    this.changed = session.changed();
    this.source =
        pairing
            .ofSource(filter -> sides.source().condition(plan.table(), filter))
            .leavingOut(leftOut);
    this.target = pairing.ofTarget().leavingOut(leftOut);
    // The key's index may not find rows that are there if its collation is stale.
    boolean trusted = pairing.hasOneOrder() || pairing.notes().isEmpty();
    this.how = trusted ? Lookup.BY_INDEX : Lookup.BY_SCAN;
    this.lookup = new KeyLookup(sides, source, target, hash, how);
    this.report = new TableReport(plan, pairing, leftOut.size(), this::recheck);
  }

  /** The sums of an overfull chunk are those of its first rows: no statement gives them again. */
  private Optional<Recheck> recheck(ChunkBounds bounds, long rows) {
    boolean overfull = bounds instanceof KeyRange && rows > (long) limits.chunkRows() * OVERFULL;
    return plan.recorded()
        ? Optional.of(new Recheck(source, target, overfull ? Optional.empty() : statements(bounds)))
        : Optional.empty();
  }

  private Optional<Recheck.Statements> statements(ChunkBounds bounds) {
    return source.leftOut().size() > MOST_RECORDED_KEYS
        ? Optional.empty()
        : sides
            .source()
            .sumsStatement(source, bounds, hash)
            .flatMap(
                first ->
                    sides
                        .target()
                        .sumsStatement(target, bounds, hash)
                        .map(second -> new Recheck.Statements(first, second)));
  }

  /** Which rows of the table may be newer on the target than the checkpoint, if any can be. */
  interface ChangedMeanwhile {
    /**
     * @throws NotReadable if they are not known
     */
    List<RowKey> keys();
  }

  /**
   * What tables of a session are compared with.
   *
   * @param changed asked after rows of the target were read
   */
  record Session(RowHash hash, SessionLimits limits, SessionTime time, ChangedMeanwhile changed) {}

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
      int most = Math.max(0, limits.differences() - report.differences());
      readDifferences(found.unequal().subList(0, Math.min(most, found.unequal().size())));
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
   * Chunks are reported in the order of their keys, and an unequal one that cannot be looked at any
   * more is part of the rest. The first one of a session is looked at whatever it has, so each
   * session gets further. A sweep ends early if much is unequal; the next one goes on while there
   * is time.
   */
  private void compareRanges() throws InterruptedException {
    RangeSweep sweep = sweep();
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
    return report.differences() < limits.differences() && !time.isOver(END_OF_SWEEPS);
  }

  /** Looks at the unequal ones; returns why it stopped. */
  private Optional<NotReadable> compareChunks(List<RangeSweep.Chunk> chunks)
      throws InterruptedException {
    Optional<NotReadable> failure = Optional.empty();
    // Those before are looked at: many chunks whose unequal blocks are read at once.
    int looked = 0;
    for (int i = 0; i < chunks.size(); i++) {
      RangeSweep.Chunk chunk = chunks.get(i);
      if (chunk.isEqual() || i < looked) {
        report.chunk(chunk.range(), chunk.source(), chunk.target(), true);
      } else if (failure.isPresent() || report.differences() >= limits.differences()) {
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
    int most = Math.max(limits.chunkRows(), limits.differences() - report.differences());
    ChunkBlocks blocks = ChunkBlocks.of(limits.chunkRows());
    List<KeyRange> unequal = new ArrayList<>();
    int next = first;
    while (next < chunks.size()
        && (next == first || unequal.size() * blocks.rows() < most)
        && (chunks.get(next).isEqual() || chunks.get(next).unequal().isPresent())) {
      unequal.addAll(chunks.get(next++).unequal().orElse(List.of()));
    }
    int rows = Math.toIntExact(unequal.size() * blocks.most());
    Both<List<HashedRow>, List<HashedRow>> hashes =
        sides.ask(
            () -> sides.source().hashesOfBlocks(source, unequal, hash, rows),
            () -> sides.target().hashesOfBlocks(target, unequal, hash, rows));
    readDifferences(RowMatching.unequal(hashes.source(), hashes.target()));
    return next;
  }

  private void leave(RangeSweep.Chunk chunk) {
    report.chunk(chunk.range(), chunk.source(), chunk.target(), false);
    report.alsoRest(List.of(chunk.range()));
  }

  private RangeSweep sweep() {
    return new RangeSweep(sides, source, target, hash, limits.chunkRows(), time);
  }

  /** Looks at an unequal chunk, first divided if one side has many more rows than expected. */
  private void compareRange(RangeSweep.Chunk chunk) throws InterruptedException {
    if (!chunk.isOverfull()) {
      compareRows(chunk.range(), chunk.source(), chunk.target());
      return;
    }
    RangeSweep.Result parts = sweep().runByTarget(chunk.range());
    Optional<NotReadable> failure = parts.failure();
    for (RangeSweep.Chunk part : parts.chunks()) {
      if (report.differences() >= limits.differences() || failure.isPresent()) {
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
    if (left.equals(right)) {
      report.chunk(bounds, left, right, true);
      return;
    }
    int most = Math.max(limits.chunkRows() * OVERFULL, MOST_AT_ONCE);
    if (Math.max(left.rows(), right.rows()) > most) {
      report.chunk(bounds, left, right, false);
      return;
    }
    HashParts parts =
        Math.max(left.rows(), right.rows()) > READ_AT_ONCE ? unequalParts(bounds) : HashParts.all();
    Both<List<HashedRow>, List<HashedRow>> rows =
        sides.ask(
            () -> sides.source().hashes(source, bounds, hash, parts, most),
            () -> sides.target().hashes(target, bounds, hash, parts, most));
    readDifferences(RowMatching.unequal(rows.source(), rows.target()));
    report.chunk(bounds, left, right, true);
  }

  /** Few rows of a chunk differ, mostly: only those that are in unequal parts are sent. */
  private HashParts unequalParts(ChunkBounds bounds) throws InterruptedException {
    Both<List<ChunkSums>, List<ChunkSums>> sums =
        sides.ask(
            () -> sides.source().sumsByHash(source, bounds, hash, PARTS),
            () -> sides.target().sumsByHash(target, bounds, hash, PARTS));
    return HashParts.unequal(sums.source(), sums.target());
  }

  /** Reads the rows of keys on both sides. */
  private void readDifferences(List<RowKey> keys) throws InterruptedException {
    for (int i = 0; i < keys.size(); i += READ_AT_ONCE) {
      KeyLookup.Differences found =
          settled(lookup.read(keys.subList(i, Math.min(keys.size(), i + READ_AT_ONCE))));
      report.differences(found.found());
      report.hot(found.hot());
    }
  }

  /** What was recorded by now was recorded before the target could have it. */
  private KeyLookup.Differences settled(KeyLookup.Differences found) throws InterruptedException {
    List<RowKey> keys = found.found().isEmpty() ? List.of() : changed.keys();
    return keys.isEmpty()
        ? found
        : new KeyLookup(sides, source.leavingOut(keys), target.leavingOut(keys), hash, how)
            .settled(found);
  }

  private void compareBuckets(long bytes) throws InterruptedException {
    long chunks = bytes / ROW_BYTES / limits.chunkRows();
    int of = (int) Math.min(MOST_BUCKETS, Long.highestOneBit(Math.max(1, chunks)) * 2);
    KeyBuckets buckets = KeyBuckets.all(of);
    Both<List<ChunkSums>, List<ChunkSums>> sums =
        sides.ask(
            () -> sides.source().sums(source, buckets, hash),
            () -> sides.target().sums(target, buckets, hash));
    report.rest(List.of());
    List<Integer> unequal = new ArrayList<>();
    for (int i = 0; i < of; i++) {
      if (sums.source().get(i).equals(sums.target().get(i))) {
        report.chunk(buckets.only(i), sums.source().get(i), sums.target().get(i), true);
      } else {
        unequal.add(i);
      }
    }
    try {
      for (int bucket : unequal) {
        compareRows(buckets.only(bucket), sums.source().get(bucket), sums.target().get(bucket));
      }
    } catch (NotReadable e) {
      report.alsoRest(List.of(KeyRange.ALL));
      throw e;
    }
  }

  private void compareWhole() throws InterruptedException {
    Both<ChunkSums, ChunkSums> sums =
        sides.ask(
            () -> sides.source().sums(source, WholeTable.INSTANCE, hash, Long.MAX_VALUE - 1),
            () -> sides.target().sums(target, WholeTable.INSTANCE, hash, Long.MAX_VALUE - 1));
    report.rest(List.of());
    boolean equal = sums.source().equals(sums.target());
    boolean few = Math.max(sums.source().rows(), sums.target().rows()) <= MOST_AT_ONCE;
    boolean all = equal || few && readRowsWithoutKey();
    report.chunk(WholeTable.INSTANCE, sums.source(), sums.target(), all);
  }

  private boolean readRowsWithoutKey() throws InterruptedException {
    Both<List<HashedRow>, List<HashedRow>> rows =
        sides.ask(
            () ->
                sides
                    .source()
                    .hashes(source, WholeTable.INSTANCE, hash, HashParts.all(), MOST_AT_ONCE),
            () ->
                sides
                    .target()
                    .hashes(target, WholeTable.INSTANCE, hash, HashParts.all(), MOST_AT_ONCE));
    List<HashedRow> missing = RowMatching.surplus(rows.source(), rows.target());
    List<HashedRow> extra = RowMatching.surplus(rows.target(), rows.source());
    RowsWithoutKey reader = new RowsWithoutKey(sides, hash, limits.differences());
    report.differences(reader.read(source, missing, target, extra));
    return missing.size() + extra.size() <= limits.differences();
  }
}
