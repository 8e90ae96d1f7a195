package dev.sluice.connector.api;

/** Finds row schemas by fingerprint, and may map decoded changes. Threadsafe. */
public interface SchemaLookup {

  /**
   * The schema with the fingerprint.
   *
   * @throws CorruptJournalException if the journal has no such schema
   */
  RowSchema schema(long fingerprint);

  /** Maps a decoded change for the reader of the journal; by default the change itself. */
  default ChangeEvent mapped(ChangeEvent decoded) {
    return decoded;
  }
}
