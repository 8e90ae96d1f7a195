/**
 * Which kind of server a target is, MariaDB or MySQL, and the names that differ between the two.
 * Imports nothing.
 */
package dev.sluice.target.mariadb.server;
