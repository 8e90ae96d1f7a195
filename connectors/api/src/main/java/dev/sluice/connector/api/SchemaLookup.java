package dev.sluice.connector.api;

/** Finds row schemas by fingerprint. Threadsafe. */
public interface SchemaLookup {

  /**
   * The schema that a journaled change refers to.
   *
   * @throws CorruptJournalException where no publisher has journaled such a schema
   */
  RowSchema schema(long fingerprint);
}
