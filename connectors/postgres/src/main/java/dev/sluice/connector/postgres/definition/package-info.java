/**
 * Reads the definitions that a load makes on the target: tables, types, indexes, constraints,
 * triggers. Imports {@code connector.postgres.server} and {@code connector.api}.
 */
package dev.sluice.connector.postgres.definition;
