/**
 * Makes statements of PostgreSQL from the definitions of MariaDB's tables, and names what has no
 * counterpart. Imports {@code connector.api}, {@code connector.mariadb.catalog} and {@code
 * connector.mariadb.server}.
 */
package dev.sluice.connector.mariadb.definition;
