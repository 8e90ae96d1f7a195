/**
 * Loads PostgreSQL, as {@link dev.sluice.load.postgres.PostgresLoadDialect} declares it: COPY, the
 * catalog's columns, sequences and foreign keys. Imports {@code load.target}, {@code load.file},
 * the sink's sessions and its dialect of PostgreSQL.
 */
package dev.sluice.load.postgres;
