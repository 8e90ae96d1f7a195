package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.HashParts;
import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.WholeTable;
import dev.sluice.engine.validate.session.BothSides.Both;
import dev.sluice.engine.validate.session.TableComparing.Session;
import java.util.List;

/**
 * Finds the rows in which unequal parts of a table differ, and reads them on both sides. Owned by
 * the session's thread.
 */
final class UnequalRows {
  /** Rows whose hashes are compared one by one, at most. */
  private static final int MOST_AT_ONCE = 100_000;

  /** Parts into which the rows of an unequal chunk are divided. */
  private static final int PARTS = 256;

  private static final int READ_AT_ONCE = 1_000;

  private static final String NOT_FOUND =
      "table %s: the rows with the key %s differ, but not those that are found by this key. Expected a key that finds each row that was read. Give the key's columns the same types on both sides, and check the indexes of the key";

  private final RowsOfBothSides rows;
  private final Lookup how;
  private final KeyLookup lookup;
  private final SessionLimits limits;
  private final Session session;
  private final TableReport report;

  /** Which rows of the table may be newer on the target than the checkpoint, if any can be. */
  interface ChangedMeanwhile {
    /**
     * @throws NotReadable if they are not known
     */
    List<RowKey> keys();
  }

  /**
   * @param how rows are found by their keys
   * @param report gets the differences
   */
  UnequalRows(RowsOfBothSides rows, Lookup how, Session session, TableReport report) {
    this.rows = rows;
    this.how = how;
    this.lookup = rows.lookup(how);
    this.limits = session.limits();
    this.session = session;
    this.report = report;
  }

  /** How many more differences the session may find in the table; none if it is negative. */
  int mayFind() {
    return limits.differences() - report.differences();
  }

  /**
   * Reads the rows of keys in which the sides differ.
   *
   * @throws NotReadable if a key does not find the rows that were read before: their difference
   *     must not be taken for none
   */
  void read(List<RowKey> keys) throws InterruptedException {
    for (int i = 0; i < keys.size(); i += READ_AT_ONCE) {
      KeyLookup.Differences found =
          settled(lookup.read(keys.subList(i, Math.min(keys.size(), i + READ_AT_ONCE))));
      report.differences(found.found());
      report.hot(found.hot());
      if (session.findsAgain() && !found.none().isEmpty()) {
        throw new NotReadable(
            Reason.FAILED, NOT_FOUND.formatted(rows.source().table(), found.none().get(0)), null);
      }
    }
  }

  /** What was recorded by now was recorded before the target could have it. */
  private KeyLookup.Differences settled(KeyLookup.Differences found) throws InterruptedException {
    boolean any = !found.found().isEmpty() || !found.none().isEmpty();
    List<RowKey> keys = any ? session.changed().keys() : List.of();
    return keys.isEmpty() ? found : rows.leavingOut(keys).lookup(how).settled(found);
  }

  /**
   * Reads the rows in which blocks of chunks differ.
   *
   * @param most rows of all blocks
   */
  void readOfBlocks(List<KeyRange> blocks, int most) throws InterruptedException {
    Both<List<HashedRow>, List<HashedRow>> hashes =
        rows.ask((view, those) -> view.hashesOfBlocks(those, blocks, rows.hash(), most));
    read(RowMatching.unequal(hashes.source(), hashes.target()));
  }

  /**
   * Reads the rows in which a chunk differs.
   *
   * @return whether these are all: none is read if the chunk has too many rows
   */
  boolean readOfChunk(ChunkBounds bounds, ChunkSums left, ChunkSums right)
      throws InterruptedException {
    if (left.equals(right)) {
      return true;
    }
    long larger = Math.max(left.rows(), right.rows());
    int most = Math.max(limits.chunkRows() * RangeSweep.OVERFULL, MOST_AT_ONCE);
    if (larger > most) {
      return false;
    }
    HashParts parts = larger > READ_AT_ONCE ? unequalParts(bounds) : HashParts.all();
    Both<List<HashedRow>, List<HashedRow>> hashes =
        rows.ask((view, those) -> view.hashes(those, bounds, rows.hash(), parts, most));
    read(RowMatching.unequal(hashes.source(), hashes.target()));
    return true;
  }

  /** Few rows of a chunk differ, mostly: only those that are in unequal parts are sent. */
  private HashParts unequalParts(ChunkBounds bounds) throws InterruptedException {
    Both<List<ChunkSums>, List<ChunkSums>> sums =
        rows.ask((view, those) -> view.sumsByHash(those, bounds, rows.hash(), PARTS));
    return HashParts.unequal(sums.source(), sums.target());
  }

  /**
   * Reads the rows in which a table without a key differs.
   *
   * @return whether these are all: none is read if the table has too many rows
   */
  boolean readWithoutKey(ChunkSums left, ChunkSums right) throws InterruptedException {
    if (left.equals(right)) {
      return true;
    }
    if (Math.max(left.rows(), right.rows()) > MOST_AT_ONCE) {
      return false;
    }
    Both<List<HashedRow>, List<HashedRow>> hashes =
        rows.ask(
            (view, those) ->
                view.hashes(
                    those, WholeTable.INSTANCE, rows.hash(), HashParts.all(), MOST_AT_ONCE));
    List<HashedRow> missing = RowMatching.surplus(hashes.source(), hashes.target());
    List<HashedRow> extra = RowMatching.surplus(hashes.target(), hashes.source());
    RowsWithoutKey reader = new RowsWithoutKey(rows.sides(), rows.hash(), limits.differences());
    report.differences(reader.read(rows.source(), missing, rows.target(), extra));
    return missing.size() + extra.size() <= limits.differences();
  }
}
