/**
 * The event triggers on the source, and what they report. Imports {@code
 * connector.postgres.capture} and {@code server}.
 */
package dev.sluice.connector.postgres.ddl;
