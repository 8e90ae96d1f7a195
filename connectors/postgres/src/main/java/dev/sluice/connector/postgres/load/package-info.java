/**
 * Reads rows under a snapshot, in segments of a table. Imports {@code connector.postgres.server}
 * and {@code connector.api}.
 */
package dev.sluice.connector.postgres.load;
