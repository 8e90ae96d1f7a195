/**
 * Finds the place of the log that a user named by a time or by GTIDs, to start or to stop there.
 * Imports {@code capture}, {@code capture.stream}, {@code capture.position} and {@code
 * connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.capture.search;
