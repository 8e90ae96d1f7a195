package dev.sluice.load.file;

/**
 * A record that the target rejects. Immutable; the bytes must not be changed.
 *
 * @param line the line of the file in which it begins
 * @param reason the target's error, on one line
 * @param record the bytes in the file, with the line break if it has one
 */
public record BadRow(long line, String reason, byte[] record) {}
