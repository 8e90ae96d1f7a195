/**
 * Decodes the binary log into events, and publishes them. Only this package sees the client of the
 * binary log. Imports {@code connector.mariadb.type}, {@code connector.journal}.
 */
package dev.sluice.connector.mariadb.capture;
