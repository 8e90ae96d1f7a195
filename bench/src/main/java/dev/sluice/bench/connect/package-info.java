/** A worker of Kafka Connect, and the sinks that are compared in it. */
package dev.sluice.bench.connect;
