/**
 * MariaDB's side of a comparison with the target: which part of the log a snapshot shows, and the
 * values of the source's types as the target has them. Imports {@code
 * connector.comparison.mariadb}, {@code capture}, {@code catalog}, {@code filter}, {@code load},
 * {@code server} and {@code type}.
 */
package dev.sluice.connector.mariadb.comparison;
