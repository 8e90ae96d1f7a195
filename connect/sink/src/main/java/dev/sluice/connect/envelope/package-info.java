/**
 * Reads Debezium's envelopes and their values. Imports {@code connect.fields}, {@code connect.json}
 * and {@code connect.converter}.
 */
package dev.sluice.connect.envelope;
