/**
 * The journal from the daemon's side: the broker, the reader, its room. Imports {@code
 * connector.journal} and {@code embedded}.
 */
package dev.sluice.engine.journal;
