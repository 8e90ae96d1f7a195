/**
 * What a table becomes by a statement of DDL on the source. Imports {@code config} and {@code
 * connector.api.load}.
 */
package dev.sluice.connector.api.ddl;
