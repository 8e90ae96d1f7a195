package dev.sluice.engine.status;

import java.time.Instant;
import java.util.Objects;

/**
 * An index, constraint or the like that a loaded table gets after its rows. Immutable.
 *
 * @param kind such as {@code index} or {@code foreign key}
 * @param schema of the table, on the target
 * @param state {@code waiting}, {@code running}, {@code done}, {@code failed} or {@code skipped}
 * @param seconds that it took, or has taken so far
 * @param detail why it failed or was skipped; otherwise null
 */
public record CompletionStatus(
    String kind,
    String name,
    String schema,
    String table,
    String state,
    Instant started,
    double seconds,
    String detail) {
  public CompletionStatus {
    state = Objects.requireNonNullElse(state, "");
  }
}
