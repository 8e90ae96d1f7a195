/**
 * The MariaDB source as a whole: the entry for the engine. Imports all packages below it and {@code
 * connector.api}.
 */
package dev.sluice.connector.mariadb;
