/**
 * The daemon's process: attempts, commands from outside, removal of a task. Imports all other
 * parts.
 */
package dev.sluice.engine.daemon;
