/**
 * Windows, open and closed: what one target transaction applies. Imports {@code
 * sink.window.compaction} and {@code sink.window.policy}.
 */
package dev.sluice.sink.window;
