package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ComparedRows;
import java.util.Optional;

/**
 * How a chunk was read on both sides. Immutable.
 *
 * @param source the rows, without skipped keys; the same for the target
 * @param statements that read it again; empty if too many keys were skipped, or a name has a line
 *     break
 */
public record Recheck(ComparedRows source, ComparedRows target, Optional<Statements> statements) {

  /** Statements on one line each. They give the same while both sides stand still. */
  public record Statements(String source, String target) {}
}
