/**
 * Starts the capture, restarts it, and pauses it where there is no room. Imports {@code
 * engine.context} and {@code engine.lane}.
 */
package dev.sluice.engine.capture;
