package dev.sluice.connector.api.comparison;

/**
 * How one side prints and hashes values. Immutable.
 *
 * @param encoding of the database
 * @param keepsUtf8 whether its texts can hold the bytes of any text in UTF-8
 * @param printed a sample of values of many types, as text; different samples mean that sides
 *     cannot be compared
 * @param hashed hashes of sample texts by the server's own hash function; empty if its rows are
 *     hashed by Sluice
 * @param sent the same of the binary form of a sample of exact values; empty if rows of this side
 *     are not read in it
 */
public record SideForm(
    String encoding, boolean keepsUtf8, String printed, String hashed, String sent) {}
