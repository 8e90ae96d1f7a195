package dev.sluice.load.target;

import dev.sluice.config.TableId;

/**
 * A violated foreign key. Immutable.
 *
 * @param rows the number of rows that have no referenced row
 */
public record BrokenForeignKey(String constraint, TableId table, TableId references, long rows) {}
