/**
 * What a MariaDB server needs as either side of a comparison: it cannot print values as PostgreSQL
 * does, so rows are read under a snapshot, and printed and hashed here. Imports {@code
 * connector.api}.
 */
package dev.sluice.connector.comparison.mariadb;
