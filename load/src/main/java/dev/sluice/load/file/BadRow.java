package dev.sluice.load.file;

/**
 * A record that the target does not take. Immutable; whoever has it must not change the bytes.
 *
 * @param line of the file in which it begins
 * @param reason what the target says, on one line
 * @param record as it stands in the file, with its line break where it has one
 */
public record BadRow(long line, String reason, byte[] record) {}
