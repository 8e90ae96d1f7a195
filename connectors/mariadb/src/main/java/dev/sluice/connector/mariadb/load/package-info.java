/**
 * Reads rows under snapshots of one position, in segments of a table, as lines of COPY. Imports
 * {@code connector.api}, {@code connector.mariadb.catalog}, {@code
 * connector.mariadb.capture.position} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.load;
