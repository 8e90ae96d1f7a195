/**
 * The source's tables and columns in its catalog. Imports {@code connector.postgres.server} and the
 * capture's description of a table.
 */
package dev.sluice.connector.postgres.catalog;
