/**
 * Sessions on the source: connections, session settings, classified failures, locks with short
 * timeouts. Imports {@code config} and {@code connector.api}.
 */
package dev.sluice.connector.postgres.server;
