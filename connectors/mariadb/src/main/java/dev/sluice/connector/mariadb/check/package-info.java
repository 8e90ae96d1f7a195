/**
 * Pre-flight checks of a MariaDB source. Imports {@code connector.api}, {@code
 * connector.comparison.mariadb}, {@code connector.mariadb.catalog}, {@code
 * connector.mariadb.filter}, {@code connector.mariadb.load} and {@code connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.check;
