/**
 * MariaDB's side of a comparison with the source: a snapshot with the checkpoint, and the values of
 * the target's columns as the source prints them. Imports {@code catalog} and {@code value}.
 */
package dev.sluice.target.mariadb.comparison;
