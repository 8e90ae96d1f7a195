/**
 * Control tables and locks by name on MariaDB. Imports {@code config} and {@code
 * sink.target.control}.
 */
package dev.sluice.target.mariadb.control;
