package dev.sluice.connector.api.comparison;

/**
 * The hashes of a row that was looked up. Immutable.
 *
 * @param number of its key in the list that was asked for, from 0
 * @param row with the key as this side has it, whose text may be another one
 */
public record FoundHash(int number, HashedRow row) {}
