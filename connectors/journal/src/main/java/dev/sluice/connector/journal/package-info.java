/**
 * The journal in Kafka, from the side that writes it: publisher, topics, their checks and their
 * owner. Imports {@code connector.api}.
 */
package dev.sluice.connector.journal;
