/**
 * What people and programs that watch a running task do: an open page, and the scrapes of a
 * monitoring system. May import the daemons and servers of the benchmarks.
 */
package dev.sluice.bench.operations;
