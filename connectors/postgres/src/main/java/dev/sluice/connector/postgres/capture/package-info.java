/**
 * Decodes the source's log into events. The only package, with {@code connector.debezium}, that
 * sees Debezium.
 */
package dev.sluice.connector.postgres.capture;
