/**
 * What a source gives to the load: layouts of COPY, chunks of rows, statements that create and
 * complete tables. Imports {@code config}.
 */
package dev.sluice.connector.api.load;
