package dev.sluice.config.task;

/**
 * The source database, and what Sluice may do there. Immutable.
 *
 * @param type the kind of database, as the task file names it
 * @param slotName the replication slot, created if it is missing
 * @param publicationName the publication, created if it is missing
 * @param replicaIdentityFull true: ALTER TABLE sets REPLICA IDENTITY FULL on tables without a
 *     replica identity; false: they are refused
 * @param triggersBesideSubscriptions true: event triggers are installed even if another publication
 *     sends the triggers' own tables to its subscribers; false: they are not installed then
 * @param takeSlot true: an existing slot of that name was created for this task, which owns it from
 *     the first start on; false: the start is refused if such a slot exists
 */
public record SourceConfig(
    String type,
    Endpoint endpoint,
    String slotName,
    String publicationName,
    boolean replicaIdentityFull,
    boolean triggersBesideSubscriptions,
    boolean takeSlot) {

  public static final String POSTGRESQL = "postgresql";

  /** A PostgreSQL server. */
  public SourceConfig(
      Endpoint endpoint,
      String slotName,
      String publicationName,
      boolean replicaIdentityFull,
      boolean triggersBesideSubscriptions,
      boolean takeSlot) {
    this(
        POSTGRESQL,
        endpoint,
        slotName,
        publicationName,
        replicaIdentityFull,
        triggersBesideSubscriptions,
        takeSlot);
  }

  /** A PostgreSQL server, with a slot that the task creates. */
  public SourceConfig(
      Endpoint endpoint,
      String slotName,
      String publicationName,
      boolean replicaIdentityFull,
      boolean triggersBesideSubscriptions) {
    this(
        endpoint,
        slotName,
        publicationName,
        replicaIdentityFull,
        triggersBesideSubscriptions,
        false);
  }
}
