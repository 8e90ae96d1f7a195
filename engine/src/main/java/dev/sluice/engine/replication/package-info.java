/**
 * The phase in which changes are applied, and fences. Imports {@code engine.lane}, {@code
 * engine.capture} and {@code engine.resync}.
 */
package dev.sluice.engine.replication;
