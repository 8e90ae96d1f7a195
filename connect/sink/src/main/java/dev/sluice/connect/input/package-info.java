/**
 * Turns records of the topics into journal entries for the sink's pipeline. Imports {@code
 * connect.join}, {@code connect.envelope} and {@code connect.settings}.
 */
package dev.sluice.connect.input;
