package dev.sluice.sink.intake;

/**
 * A record as it lies in the journal. Immutable.
 *
 * @param offset its place in the journal's only partition
 * @param value its bytes; not to be changed
 */
public record JournalEntry(long offset, byte[] value) {}
