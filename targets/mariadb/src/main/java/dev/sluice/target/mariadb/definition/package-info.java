/**
 * Tables of MariaDB as a load makes them of the source's: types, keys, defaults, indexes, foreign
 * keys, and what is left out. Imports {@code config}, {@code connector.api}, {@code sink.target},
 * {@code load.target} and {@code target.mariadb.catalog}.
 */
package dev.sluice.target.mariadb.definition;
