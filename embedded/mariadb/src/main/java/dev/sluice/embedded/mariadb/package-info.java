/**
 * MariaDB servers that run without an installation, for the demo and tests. Imports {@code
 * embedded}.
 */
package dev.sluice.embedded.mariadb;
