/**
 * The replication slot, the snapshot it exports, and the source's log. Imports {@code
 * connector.postgres.server}.
 */
package dev.sluice.connector.postgres.slot;
