/**
 * The journal from the daemon's side: the broker, the reader, its size. Imports {@code
 * connector.journal} and {@code embedded}.
 */
package dev.sluice.engine.journal;
