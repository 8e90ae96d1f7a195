package dev.sluice.config;

/**
 * A selection rule as regular expressions, which Java and PostgreSQL read alike. Immutable.
 *
 * @param excludes whether it leaves out what matches
 * @param schema what the whole name of the schema matches
 * @param table what the whole name of the table matches
 * @param filters whether it takes some of a table's rows only
 */
public record SelectionPattern(boolean excludes, String schema, String table, boolean filters) {}
