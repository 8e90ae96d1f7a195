/**
 * PostgreSQL servers that run without an installation, for the demo, the benchmarks and tests; and
 * a network in front of a server, for tests. Imports {@code embedded}.
 */
package dev.sluice.embedded.postgres;
