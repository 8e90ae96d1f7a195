package dev.sluice.connector.journal;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import java.util.Optional;

/**
 * What a journal has from an offset on. Immutable.
 *
 * @param lastWhole the position of the last complete transaction or progress message; empty if
 *     there is none
 * @param newestTerm the highest term of a record, or the term of the checkpoint that has the offset
 * @param furthest the end with the highest position among the complete ones: what the sink has last
 */
public record JournalTail(
    Optional<Position> lastWhole, long newestTerm, Optional<TransactionEnd> furthest) {}
