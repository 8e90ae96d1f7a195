package dev.sluice.sink.replay;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;

/**
 * A transaction of the source as the journal has it. Immutable.
 *
 * @param before the end of the one before it: reading from there gives this one first
 * @param position its place in the source's log
 * @param term its term in the journal
 * @param number its number in that term
 * @param commitTime when the source committed it
 */
public record SourceTransaction(
    JournalOffset before, Position position, long term, long number, Instant commitTime) {}
