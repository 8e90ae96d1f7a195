/**
 * Tables as a load reads them: recorded before the snapshot, divided into segments. Imports {@code
 * config}, {@code connector.api} and {@code connector.api.load}.
 */
package dev.sluice.connector.api.source.load;
