package dev.sluice.connector.api.source;

/**
 * The identity of a source. Positions are comparable only within one cluster and timeline.
 * Immutable.
 *
 * @param systemIdentifier number that the cluster got when it was created
 * @param timeline number that rises when a standby is promoted
 * @param version the server's version number, such as 180006
 * @param encoding of the database
 */
public record SourceIdentity(long systemIdentifier, int timeline, int version, String encoding) {}
