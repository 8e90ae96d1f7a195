/** The contenders of the drain: Sluice and its parts, logical replication, Debezium's sink. */
package dev.sluice.bench.peer;
