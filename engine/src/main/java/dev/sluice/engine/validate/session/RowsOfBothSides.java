package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.engine.validate.session.BothSides.Both;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The rows of one table that are compared, on both sides. Immutable; used by the session's thread.
 *
 * @param source rows without those that are left out; the same for the target
 */
record RowsOfBothSides(BothSides sides, ComparedRows source, ComparedRows target, RowHash hash) {

  /** The same with other keys left out. */
  RowsOfBothSides leavingOut(List<RowKey> keys) {
    return new RowsOfBothSides(sides, source.leavingOut(keys), target.leavingOut(keys), hash);
  }

  /** Reads the same on both sides, at the same time. */
  <T> Both<T, T> ask(BiFunction<SideView, ComparedRows, T> reading) throws InterruptedException {
    return sides.ask(
        () -> reading.apply(sides.source(), source), () -> reading.apply(sides.target(), target));
  }

  KeyLookup lookup(Lookup how) {
    return new KeyLookup(sides, source, target, hash, how);
  }

  RangeSweep sweep(int chunkRows, SessionTime time) {
    return new RangeSweep(sides, source, target, hash, chunkRows, time);
  }

  /** The statements that read a chunk again; empty if a name has a line break. */
  Optional<Recheck.Statements> statements(ChunkBounds bounds) {
    return sides
        .source()
        .sumsStatement(source, bounds, hash)
        .flatMap(
            first ->
                sides
                    .target()
                    .sumsStatement(target, bounds, hash)
                    .map(second -> new Recheck.Statements(first, second)));
  }
}
