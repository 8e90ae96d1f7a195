/**
 * MariaDB's catalog as a target's: tables, what makes them unfit, checks of the server, and DDL for
 * people. Imports {@code config}, {@code connector.api}, {@code connector.comparison.mariadb},
 * {@code sink.target} and {@code target.mariadb.value}.
 */
package dev.sluice.target.mariadb.catalog;
