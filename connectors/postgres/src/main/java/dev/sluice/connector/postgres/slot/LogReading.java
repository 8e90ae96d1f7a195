package dev.sluice.connector.postgres.slot;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * The source's log and who reads it, at one moment. Immutable.
 *
 * @param end up to where the source has written
 * @param slot empty where there is none
 * @param sent up to where the server has sent the log to the slot's reader, what concerns no
 *     published table included; empty where nobody reads, or this user may not see it
 */
public record LogReading(Position end, Optional<SlotState> slot, Optional<Position> sent) {}
