/**
 * Reads journal records, drops what was applied or is torn, and maps rows to the target's columns.
 * Imports {@code connector.api}.
 */
package dev.sluice.sink.intake;
