/**
 * What a source hands to the load: layouts of COPY, chunks of rows, statements that make tables and
 * complete them. Imports {@code config}.
 */
package dev.sluice.connector.api.load;
