/**
 * PostgreSQL servers that run without an installation, for the demo, the benchmarks and tests.
 * Imports {@code embedded}.
 */
package dev.sluice.embedded.postgres;
