/**
 * The source as the engine sees it: what any source database is asked for. Imports {@code config},
 * {@code connector.api} and the packages below it.
 */
package dev.sluice.connector.api.source;
