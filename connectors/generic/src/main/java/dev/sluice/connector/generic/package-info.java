/**
 * Any Debezium connector, from a folder of its own, as a capture: its records become whole
 * transactions of the journal, and its offsets their bookmarks. Imports {@code connector.journal}
 * and {@code connector.envelope}.
 */
package dev.sluice.connector.generic;
