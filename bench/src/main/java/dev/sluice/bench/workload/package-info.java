/** The changes that are applied, by shape. */
package dev.sluice.bench.workload;
