/** Runs a task of Debezium as a capture. Imports {@code connector.journal}. */
package dev.sluice.connector.debezium;
