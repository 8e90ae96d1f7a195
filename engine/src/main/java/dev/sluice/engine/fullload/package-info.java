/**
 * The phases of the load and of the completion. Imports {@code engine.load}, {@code engine.capture}
 * and {@code engine.check}.
 */
package dev.sluice.engine.fullload;
