/**
 * How many workers load a cluster, by how busy its servers are. Imports {@code load.target}, {@code
 * sink.target} and {@code config}.
 */
package dev.sluice.target.yugabytedb.workers;
