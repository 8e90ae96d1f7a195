/**
 * Decodes the source's log into events. Only this package and {@code connector.debezium} use
 * Debezium.
 */
package dev.sluice.connector.postgres.capture;
