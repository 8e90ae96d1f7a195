/** Creates indexes, constraints and triggers after the rows. Imports {@code load.log}. */
package dev.sluice.engine.load.completion;
