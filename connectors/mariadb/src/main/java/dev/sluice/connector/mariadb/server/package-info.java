/**
 * Sessions on a MariaDB server: their settings, failures and their kinds, who the server is.
 * Imports {@code config} and {@code connector.api}.
 */
package dev.sluice.connector.mariadb.server;
