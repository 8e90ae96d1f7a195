/**
 * Sessions on the target: connections, their settings, statements, failures and their kinds.
 * Imports {@code config} and {@code connector.api}.
 */
package dev.sluice.sink.target;
