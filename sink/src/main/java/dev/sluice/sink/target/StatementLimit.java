package dev.sluice.sink.target;

/**
 * The most bytes that a statement with its values may have. Immutable.
 *
 * @param setting of the server, which raises it
 */
public record StatementLimit(long bytes, String setting) {}
