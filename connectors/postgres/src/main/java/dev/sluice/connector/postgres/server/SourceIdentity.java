package dev.sluice.connector.postgres.server;

/**
 * What tells one source from another: a position means something in one history only. Immutable.
 *
 * @param systemIdentifier given to the cluster when it was created
 * @param timeline rises when a standby is promoted
 * @param version the server's number, such as 180006
 * @param encoding of the database
 */
public record SourceIdentity(long systemIdentifier, int timeline, int version, String encoding) {}
