/** Reads Debezium's envelopes and their values. Imports {@code connector.api}. */
package dev.sluice.connect.envelope;
