/**
 * Reads the definitions that a load creates on the target: tables, types, indexes, constraints,
 * triggers. Imports {@code connector.postgres.server} and {@code connector.api}.
 */
package dev.sluice.connector.postgres.definition;
