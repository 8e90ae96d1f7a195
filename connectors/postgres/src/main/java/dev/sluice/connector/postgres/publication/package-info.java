/**
 * The task's publication and the replica identities of its tables. Imports {@code
 * connector.postgres.catalog}.
 */
package dev.sluice.connector.postgres.publication;
