/**
 * Compacts the changes of a window to net changes for each row. Imports {@code sink.window.policy}.
 */
package dev.sluice.sink.window.compaction;
