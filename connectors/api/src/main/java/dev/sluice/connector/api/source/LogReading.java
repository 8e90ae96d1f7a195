package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * The source's log and its slot at one moment. Immutable.
 *
 * @param end the position up to which the source has written
 * @param slot empty if there is none
 * @param sent the position up to which the server has sent the log to the slot's reader, including
 *     changes of unpublished tables; empty if nothing reads, or this user may not see it
 */
public record LogReading(Position end, Optional<RetentionState> slot, Optional<Position> sent) {}
