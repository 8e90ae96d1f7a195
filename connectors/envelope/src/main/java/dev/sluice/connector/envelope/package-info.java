/** Values in Debezium's schemas, as PostgreSQL's text. Imports {@code config}. */
package dev.sluice.connector.envelope;
