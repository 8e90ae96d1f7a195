package dev.sluice.connector.api.comparison;

/**
 * Which server and database a side is, for messages. Immutable.
 *
 * @param version of the server, after the name of its kind
 * @param system the identifier of its data, which copies of it share; "unknown" if the user may not
 *     read it
 */
public record SideIdentity(String database, String version, String system) {}
