/**
 * Sessions on the source: connections, their settings, failures and their kinds, locks that are
 * bounded. Imports {@code config} and {@code connector.api}.
 */
package dev.sluice.connector.postgres.server;
