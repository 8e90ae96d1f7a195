/**
 * The write side of the journal in Kafka: publisher, topics, their checks and their owner. Imports
 * {@code connector.api}.
 */
package dev.sluice.connector.journal;
