/**
 * MariaDB servers that run without an installation, for the demo and tests; and MySQL servers of a
 * program on this machine, for tests. Imports {@code embedded}.
 */
package dev.sluice.embedded.mariadb;
