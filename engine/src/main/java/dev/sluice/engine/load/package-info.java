/**
 * The full load: plans, workers, limits, and what is kept of an interrupted one. Imports {@code
 * load}, the source and {@code engine.load.completion}.
 */
package dev.sluice.engine.load;
