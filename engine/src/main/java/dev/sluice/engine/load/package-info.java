/**
 * The full load: plans, workers, limits, what goes on after an end. Imports {@code load}, the
 * source and {@code engine.load.completion}.
 */
package dev.sluice.engine.load;
