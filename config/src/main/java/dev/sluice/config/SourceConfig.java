package dev.sluice.config;

/**
 * The source and what may be done on it. Immutable.
 *
 * @param slotName the replication slot, created where it is missing
 * @param publicationName the publication, created where it is missing
 * @param replicaIdentityFull true: tables without a replica identity get REPLICA IDENTITY FULL by
 *     ALTER TABLE; false: they are refused
 * @param triggersBesideSubscriptions true: event triggers are installed although a publication of
 *     somebody else sends the tables that they need to its subscribers; false: they are left out
 */
public record SourceConfig(
    Endpoint endpoint,
    String slotName,
    String publicationName,
    boolean replicaIdentityFull,
    boolean triggersBesideSubscriptions) {}
