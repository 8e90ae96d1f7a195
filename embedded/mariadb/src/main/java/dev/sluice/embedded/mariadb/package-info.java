/**
 * MariaDB servers that run without an installation, for the demo and tests; and MySQL servers of a
 * program on this machine, and an address that moves from one to another, for tests. Imports {@code
 * embedded}.
 */
package dev.sluice.embedded.mariadb;
