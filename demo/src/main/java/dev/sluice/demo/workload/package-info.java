/** The workload of a small shop, for the demo and for tests. */
package dev.sluice.demo.workload;
