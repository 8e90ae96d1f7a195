package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * The source's log and what is kept of it at one moment. Immutable.
 *
 * @param end the position up to which the source has written
 * @param retention empty if the log is not kept
 * @param sent the position up to which the server has sent the log to its reader, including changes
 *     of tables that are not captured; empty if nothing reads, or this user may not see it
 */
public record LogReading(
    Position end, Optional<RetentionState> retention, Optional<Position> sent) {}
