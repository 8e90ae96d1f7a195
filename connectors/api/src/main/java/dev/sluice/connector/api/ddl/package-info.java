/**
 * Changes of table definitions by DDL on the source. Imports {@code config} and {@code
 * connector.api.load}.
 */
package dev.sluice.connector.api.ddl;
