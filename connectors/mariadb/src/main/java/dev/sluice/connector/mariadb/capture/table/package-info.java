/**
 * Captured tables: what is known of each at a place of the log, how statements change it, and how
 * its rows are decoded. Imports {@code capture.stream}, {@code capture.statement}, {@code
 * capture.position}, {@code connector.mariadb.catalog}, {@code connector.mariadb.server} and {@code
 * connector.mariadb.type}.
 */
package dev.sluice.connector.mariadb.capture.table;
