/**
 * How the writers of a source are stopped for a cutover, and kept out for good after it. Imports
 * {@code config}.
 */
package dev.sluice.connector.api.source.writers;
