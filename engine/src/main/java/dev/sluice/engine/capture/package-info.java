/**
 * Starts and restarts the capture, and pauses it if the journal is full. Imports {@code
 * engine.context} and {@code engine.lane}.
 */
package dev.sluice.engine.capture;
