/**
 * Collects the open transaction, in memory or in a swap file, and returns committed transactions in
 * commit order. Imports {@code sink.intake}.
 */
package dev.sluice.sink.sorter;
