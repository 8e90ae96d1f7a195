/**
 * Collects open transactions, in memory or in swap files, and gives them out in commit order.
 * Imports {@code sink.intake}.
 */
package dev.sluice.sink.sorter;
