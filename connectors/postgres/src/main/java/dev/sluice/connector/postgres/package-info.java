/**
 * The PostgreSQL source: its capture, and {@link dev.sluice.connector.postgres.PostgresSource}, the
 * entry point for the engine. Imports all packages below it.
 */
package dev.sluice.connector.postgres;
