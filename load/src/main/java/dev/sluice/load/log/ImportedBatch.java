package dev.sluice.load.log;

import dev.sluice.load.file.BatchOffset;

/**
 * A batch of a file that is on the target. Immutable.
 *
 * @param badRows how many of its rows are not, and were put aside
 * @param badFileEnd how long the file of bad rows was behind them; 0 where it has none
 */
public record ImportedBatch(BatchOffset place, long badRows, long badFileEnd) {}
