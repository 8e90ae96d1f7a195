package dev.sluice.load.file;

/**
 * Where some whole records stand in a file. Immutable.
 *
 * @param firstByte from 0 on, in what the file holds when it is unpacked
 * @param endByte behind the last one's line break
 * @param firstLine the line of the first record, from 1 on
 * @param nextLine the line behind the last record
 * @param rows how many records
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
