package dev.sluice.load.file;

/**
 * The range of a batch of complete records in a file. Immutable.
 *
 * @param firstByte offset of the first byte, from 0, in the uncompressed file
 * @param endByte offset after the last record's line break
 * @param firstLine the line of the first record, from 1 on
 * @param nextLine the line after the last record
 * @param rows number of records
 */
public record BatchOffset(long firstByte, long endByte, long firstLine, long nextLine, long rows) {

  public BatchOffset {
    if (firstByte < 0 || endByte < firstByte || nextLine < firstLine || rows < 0) {
      throw new IllegalArgumentException(
          "BUG: a batch from byte %d to %d, line %d to %d, of %d rows"
              .formatted(firstByte, endByte, firstLine, nextLine, rows));
    }
  }

  public long bytes() {
    return endByte - firstByte;
  }
}
