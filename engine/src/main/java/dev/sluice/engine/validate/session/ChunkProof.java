package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import java.util.Optional;

/**
 * A chunk that was read on both sides. Immutable.
 *
 * @param keysLeftOut keys of the table that were not compared
 * @param resolved for an unequal chunk: whether all its rows were checked, so that its differences
 *     are complete. If there are none, only skipped rows differ
 * @param recheck how it is read again; empty unless the plan asks for it
 */
public record ChunkProof(
    ChunkBounds bounds,
    ChunkSums source,
    ChunkSums target,
    int keysLeftOut,
    boolean resolved,
    Optional<Recheck> recheck) {

  /** Whether both sides have the same rows. */
  public boolean isEqual() {
    return source.equals(target);
  }
}
