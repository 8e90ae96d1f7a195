/**
 * The contenders of the drain: Sluice in whole and in part, logical replication, Debezium's sink.
 */
package dev.sluice.bench.peer;
