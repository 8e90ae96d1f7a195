/**
 * The parts of the validation's benchmark: a workload of all kinds of changes, planted faults, one
 * pass, and a resync. Uses the benchmark's servers, peers and workloads.
 */
package dev.sluice.bench.validation;
