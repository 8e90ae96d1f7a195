package dev.sluice.sink.replay;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;

/**
 * Identity of a source transaction in the journal. Immutable.
 *
 * @param before the end of the previous transaction: a reader that starts there gets this one first
 * @param position its position in the source's log
 * @param term its term in the journal
 * @param number its number in that term
 * @param commitTime when the source committed it
 */
public record SourceTransaction(
    JournalOffset before, Position position, long term, long number, Instant commitTime) {}
