package dev.sluice.load.file;

/**
 * Some whole records of a file, as they stand in it. Immutable; whoever has it must not change the
 * bytes.
 *
 * @param packedBytes how much of the file as it is on disk was read up to its end
 */
public record RowBatch(DataFile file, BatchOffset place, byte[] bytes, long packedBytes) {

  /** Where its records are, for the search of bad ones. */
  public RecordIndex index() {
    return RecordIndex.of(this);
  }
}
