/**
 * The benchmarks, one class each; each runs a peer in the same run. Imports all packages below it.
 */
package dev.sluice.bench;
