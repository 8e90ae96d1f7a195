package dev.sluice.connector.api;

/** Finds row schemas by fingerprint, and is given each change that refers to one. Threadsafe. */
public interface SchemaLookup {

  /**
   * The schema that a journaled change refers to.
   *
   * @throws CorruptJournalException where no publisher has journaled such a schema
   */
  RowSchema schema(long fingerprint);

  /**
   * What whoever reads the journal gets for a change that was decoded; mostly the change itself.
   */
  default ChangeEvent mapped(ChangeEvent decoded) {
    return decoded;
  }
}
