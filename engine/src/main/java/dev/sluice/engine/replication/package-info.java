/**
 * Applies changes, and waits for fences. Imports {@code engine.lane}, {@code engine.capture} and
 * {@code engine.resync}.
 */
package dev.sluice.engine.replication;
