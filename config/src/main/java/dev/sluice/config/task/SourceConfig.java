package dev.sluice.config.task;

/**
 * The source and what may be done on it. Immutable.
 *
 * @param slotName the replication slot, created where it is missing
 * @param publicationName the publication, created where it is missing
 * @param replicaIdentityFull true: tables without a replica identity get REPLICA IDENTITY FULL by
 *     ALTER TABLE; false: they are refused
 * @param triggersBesideSubscriptions true: event triggers are installed although a publication of
 *     somebody else sends the tables that they need to its subscribers; false: they are left out
 * @param takeSlot true: a slot of that name which is there already was made for this task, and is
 *     its own from the first start on; false: it is left alone, and the start is refused
 */
public record SourceConfig(
    Endpoint endpoint,
    String slotName,
    String publicationName,
    boolean replicaIdentityFull,
    boolean triggersBesideSubscriptions,
    boolean takeSlot) {

  /** With a slot that the task makes itself. */
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
