/**
 * Loads rows into PostgreSQL and completes its tables: COPY, the catalog's sequences, foreign keys
 * and indexes. It is not behind the sink's dialect; another target needs a package beside this one.
 * Imports {@code load.file}, {@code load.log}, the sink's sessions and its dialect of PostgreSQL.
 */
package dev.sluice.load.postgres;
