package dev.sluice.load.file;

/**
 * Complete records of a file, as they are in the file. Immutable; the bytes must not be changed.
 *
 * @param packedBytes bytes of the file on disk that were read up to the batch's end
 */
public record RowBatch(DataFile file, BatchOffset place, byte[] bytes, long packedBytes) {

  /** The index of its records, to find bad ones. */
  public RecordIndex index() {
    return RecordIndex.of(this);
  }
}
