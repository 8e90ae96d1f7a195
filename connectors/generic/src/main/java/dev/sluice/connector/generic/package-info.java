/**
 * Any Debezium connector as a source: the entry for the engine, and the capture. Imports all
 * packages below.
 */
package dev.sluice.connector.generic;
