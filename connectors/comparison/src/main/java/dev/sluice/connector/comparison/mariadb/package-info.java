/**
 * What a MariaDB server needs as either side of a comparison: a snapshot that gives way to others,
 * and what a cluster that it belongs to means. Imports {@code connector.api}, {@code
 * connector.api.source} and {@code connector.comparison.printed}.
 */
package dev.sluice.connector.comparison.mariadb;
