/** Reads the source's log, decodes it into events, and publishes them to the journal. */
package dev.sluice.connector.postgres.capture;
