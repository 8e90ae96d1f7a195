package dev.sluice.sink.progress;

import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.util.Optional;

/**
 * How far something has got. Immutable.
 *
 * @param position in the source's log
 * @param nextOffset in the journal
 * @param lastCommit when the source committed the transaction at that position; empty before the
 *     first since the start
 */
public record AppliedPoint(Position position, long nextOffset, Optional<Instant> lastCommit) {}
