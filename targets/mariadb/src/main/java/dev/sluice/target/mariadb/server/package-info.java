/**
 * Which server a target is, MariaDB or MySQL, and what the two call differently. Imports nothing.
 */
package dev.sluice.target.mariadb.server;
