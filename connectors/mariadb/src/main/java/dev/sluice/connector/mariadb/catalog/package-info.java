/**
 * Reads the tables, columns, keys and indexes of a MariaDB database from its catalog. Imports
 * {@code connector.api}, {@code connector.mariadb.server} and {@code connector.mariadb.type}.
 */
package dev.sluice.connector.mariadb.catalog;
