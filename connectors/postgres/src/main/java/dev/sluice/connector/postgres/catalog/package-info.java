/**
 * The source's tables and columns as its catalog has them. Imports {@code
 * connector.postgres.server} and what the capture knows of a table.
 */
package dev.sluice.connector.postgres.catalog;
