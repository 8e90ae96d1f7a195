/**
 * The log of a process: its form, what is kept out of it, and its levels while the process runs.
 * Imports {@code config} only.
 */
package dev.sluice.engine.logging;
