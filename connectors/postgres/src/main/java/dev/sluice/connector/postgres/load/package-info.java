/**
 * Reads the rows of tables under a snapshot, in segments. Imports {@code connector.postgres.server}
 * and {@code connector.api}.
 */
package dev.sluice.connector.postgres.load;
