/**
 * Reads journal records, drops applied and incomplete transactions, and maps rows to the target's
 * columns. Imports {@code connector.api}.
 */
package dev.sluice.sink.intake;
