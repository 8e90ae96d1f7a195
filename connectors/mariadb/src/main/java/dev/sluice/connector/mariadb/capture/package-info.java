/**
 * The capture itself: decodes the binary log into events, and publishes them; what it remembers
 * between two tries, and where it stops. Imports {@code capture.stream}, {@code capture.statement},
 * {@code capture.position}, {@code capture.table}, {@code connector.mariadb.catalog}, {@code
 * connector.mariadb.server}, {@code connector.mariadb.type} and {@code connector.journal}.
 */
package dev.sluice.connector.mariadb.capture;
