/** The servers of a benchmark: their start, settings and processor time. */
package dev.sluice.bench.server;
