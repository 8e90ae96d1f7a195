package dev.sluice.connector.api.comparison;

/**
 * The key and the two hashes of a row. Immutable.
 *
 * @param key empty for a table without a key
 */
public record HashedRow(RowKey key, long first, long second) {}
