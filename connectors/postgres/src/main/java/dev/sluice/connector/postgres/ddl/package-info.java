/**
 * The event triggers on the source and their reports. Imports {@code connector.postgres.capture}
 * and {@code server}.
 */
package dev.sluice.connector.postgres.ddl;
