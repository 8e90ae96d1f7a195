/**
 * Loads rows into PostgreSQL: COPY, the catalog's sequences and foreign keys, and the tables before
 * their rows come. It is not behind the sink's dialect; another target needs a package beside this
 * one. Imports {@code load}, {@code load.file}, {@code load.log}, the sink's sessions and its
 * dialect of PostgreSQL.
 */
package dev.sluice.load.postgres;
