package dev.sluice.load.target;

import java.util.OptionalLong;

/**
 * What the target says of a row that it rejects. Immutable.
 *
 * @param line the row's last line, counted from 1 in what was sent; a hint; empty if not named
 * @param reason for messages, on one line; with the column if the server names one
 */
public record RowRejection(OptionalLong line, String reason) {}
