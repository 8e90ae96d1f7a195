/**
 * Creates tables on MariaDB from the source's tables: types, keys, defaults, indexes, foreign keys,
 * and what is skipped. Imports {@code config}, {@code connector.api}, {@code sink.target}, {@code
 * load.target} and {@code target.mariadb.catalog}.
 */
package dev.sluice.target.mariadb.definition;
