/**
 * Decodes the binary log into events, and publishes them. Only this package sees the client of the
 * binary log. Imports {@code connector.mariadb.catalog}, {@code connector.mariadb.filter}, {@code
 * connector.mariadb.server}, {@code connector.mariadb.type} and {@code connector.journal}.
 */
package dev.sluice.connector.mariadb.capture;
