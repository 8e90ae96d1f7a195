/**
 * The source's tables and columns as its catalog has them. Imports {@code config} and {@code
 * connector.api}.
 */
package dev.sluice.connector.api.source.catalog;
