/**
 * One side of a comparison of source and target: reads a table's rows, or hashes of them, under a
 * snapshot that lives for seconds. Knows no database. Imports {@code config} and {@code
 * connector.api}.
 */
package dev.sluice.connector.api.comparison;
