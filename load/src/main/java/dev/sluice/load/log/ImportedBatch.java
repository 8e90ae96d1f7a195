package dev.sluice.load.log;

import dev.sluice.load.file.BatchOffset;

/**
 * A batch of a file that is on the target. Immutable.
 *
 * @param badRows the number of its rows that the target rejected and that are in the file of bad
 *     rows
 * @param badFileEnd length of the file of bad rows after them; 0 if it has none
 */
public record ImportedBatch(BatchOffset place, long badRows, long badFileEnd) {}
