/**
 * Windows, open and closed: the changes that one target transaction applies. Imports {@code
 * sink.window.compaction} and {@code sink.window.policy}.
 */
package dev.sluice.sink.window;
