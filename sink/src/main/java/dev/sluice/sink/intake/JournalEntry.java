package dev.sluice.sink.intake;

/**
 * A record of the journal with its offset. Immutable.
 *
 * @param offset its offset in the journal's only partition
 * @param value its bytes; must not be changed
 */
public record JournalEntry(long offset, byte[] value) {}
