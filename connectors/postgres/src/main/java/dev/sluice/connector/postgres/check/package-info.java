/**
 * Pre-flight checks of the source. Imports the other packages of the source; changes nothing on it.
 */
package dev.sluice.connector.postgres.check;
