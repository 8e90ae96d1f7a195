/**
 * MariaDB's side of a comparison with the target: rows are read under a snapshot, and printed and
 * hashed here as PostgreSQL prints and hashes them. Imports {@code catalog}, {@code load}, {@code
 * log}, {@code server} and {@code type}.
 */
package dev.sluice.connector.mariadb.comparison;
