/**
 * Reads the journal again from a known offset. Imports {@code sink.sorter} and {@code sink.intake}.
 */
package dev.sluice.sink.replay;
