/**
 * The side of a comparison for a server that cannot print values as PostgreSQL does: its rows are
 * read, and printed and hashed here. Imports {@code connector.api}.
 */
package dev.sluice.connector.comparison.printed;
