package dev.sluice.load.file;

import java.util.Arrays;

/** The start and line of each record of a batch. Immutable. */
public final class RecordIndex {
  private final byte[] bytes;
  private final int[] starts;
  private final long[] lines;
  private final long[] copyLines;

  private RecordIndex(byte[] bytes, int[] starts, long[] lines, long[] copyLines) {
    this.bytes = bytes;
    this.starts = starts;
    this.lines = lines;
    this.copyLines = copyLines;
  }

  static RecordIndex of(RowBatch batch) {
    int rows = Math.toIntExact(batch.place().rows());
    int[] starts = new int[rows + 1];
    long[] lines = new long[rows];
    long[] copyLines = new long[rows];
    RecordScanner scanner = new RecordScanner(batch.file().format(), batch.file().lineEnd());
    byte[] bytes = batch.bytes();
    for (int row = 0; row < rows; row++) {
      lines[row] = batch.place().firstLine() + scanner.lines();
      int end = scanner.next(bytes, starts[row], bytes.length);
      starts[row + 1] = end < 0 ? bytes.length : end;
      copyLines[row] = row + 1 + scanner.quotedBreaks();
    }
    if (starts[rows] != bytes.length) {
      throw new IllegalStateException(
          "BUG: %d records of %s end at byte %d of %d"
              .formatted(rows, batch.file().name(), starts[rows], bytes.length));
    }
    return new RecordIndex(bytes, starts, lines, copyLines);
  }

  /**
   * The offset of a record in the batch's bytes. For the number of records: the end of the last
   * one.
   */
  public int start(int record) {
    return starts[record];
  }

  /** The line of the file in which a record begins. */
  public long line(int record) {
    return lines[record];
  }

  public int size() {
    return lines.length;
  }

  /**
   * The record at a line that COPY reports.
   *
   * @param from the first record that COPY got
   * @param line the line as COPY counts: that of a record is its last line
   * @return -1 if the line belongs to none of these records
   */
  public int recordOf(int from, long line) {
    long before = copyLines[from] - linesOfFirst(from);
    int found = Arrays.binarySearch(copyLines, from, copyLines.length, before + line);
    int record = found < 0 ? -found - 1 : found;
    return record < copyLines.length ? record : -1;
  }

  /*
   * The lines that COPY counts for its first record, whose end tells it how lines end: until then it
   * counts only carriage returns within quotes.
   */
  private long linesOfFirst(int record) {
    long lines = copyLines[record] - (record == 0 ? 0 : copyLines[record - 1]);
    if (lines == 1) {
      return lines;
    }
    int lineEnd = starts[record + 1] - 2;
    lines = 1;
    for (int at = starts[record]; at < lineEnd; at++) {
      lines += bytes[at] == '\r' ? 1 : 0;
    }
    return lines;
  }
}
