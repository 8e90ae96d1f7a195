/**
 * One side of a comparison on a PostgreSQL server, which may be the source or the target: sessions
 * on an exported snapshot, and the SQL that hashes rows. Imports {@code connector.api}.
 */
package dev.sluice.connector.comparison;
