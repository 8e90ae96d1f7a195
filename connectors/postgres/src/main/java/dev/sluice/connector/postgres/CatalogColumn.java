package dev.sluice.connector.postgres;

/**
 * One column of a source table. Immutable.
 *
 * @param type as {@code format_type} prints it, with modifiers
 * @param key whether it belongs to the replica identity's key; with FULL to the primary key
 * @param generated whether the server computes it from other columns
 * @param identity whether the server numbers it
 */
public record CatalogColumn(
    String name, String type, boolean nullable, boolean key, boolean generated, boolean identity) {}
