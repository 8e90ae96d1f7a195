/**
 * Statements of the binary log: reads from the text of DDL what it does to a table, or that it
 * cannot be followed. Imports {@code capture.stream}, {@code connector.mariadb.catalog}, {@code
 * connector.mariadb.server} and {@code connector.mariadb.type}.
 */
package dev.sluice.connector.mariadb.capture.statement;
