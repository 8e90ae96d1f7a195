/**
 * Control tables and named locks on MariaDB. Imports {@code config}, {@code sink.target}, {@code
 * sink.target.control} and {@code target.mariadb.catalog}.
 */
package dev.sluice.target.mariadb.control;
