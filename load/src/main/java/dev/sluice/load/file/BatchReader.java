package dev.sluice.load.file;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.FileFormat;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Reads the remaining ranges of a file in batches of complete records. Owned by the thread that
 * reads.
 *
 * <p>Memory: one batch in addition to the last returned one, or one record if it is longer.
 */
public final class BatchReader implements AutoCloseable {

  /**
   * The limits of a batch.
   *
   * @param rows maximum number of records
   * @param bytes size at which a batch ends; a single record may be larger
   * @param longestRecord maximum size of a record; a longer one is an error, usually a quote that
   *     is never closed
   */
  public record Bounds(int rows, int bytes, int longestRecord) {}

  private static final int READ_BYTES = 256 * 1024;

  private final DataFile file;
  private final Bounds bounds;
  private final FileStream stream;
  private final Iterator<UnreadRange> ranges;
  private UnreadRange range;
  private RecordScanner scanner;
  private byte[] buffer = new byte[READ_BYTES];

  /**
   * Number of bytes in the buffer: up to {@code scanned} they were scanned, {@code cut} is the end
   * of a record.
   */
  private int filled;

  private int scanned;
  private int cut;
  private int rows;

  private long firstByte;
  private long firstLine;
  private long lineBase;
  private long lineAtCut;
  private long endByte = -1;
  private boolean ended;

  private BatchReader(DataFile file, List<UnreadRange> ranges, Bounds bounds, FileStream stream) {
    this.file = file;
    this.bounds = bounds;
    this.stream = stream;
    this.ranges = ranges.iterator();
  }

  public static BatchReader open(DataFile file, List<UnreadRange> ranges, Bounds bounds)
      throws IOException {
    return new BatchReader(file, ranges, bounds, FileStream.open(file.path()));
  }

  /**
   * The next batch; empty at the file's end.
   *
   * @throws SluiceException.Data if a record does not end where it must
   */
  public Optional<RowBatch> next() throws IOException {
    while (true) {
      if (range == null) {
        if (ended || !ranges.hasNext()) {
          return Optional.empty();
        }
        begin(ranges.next());
      }
      if (findBatch()) {
        if (rows > 0) {
          return Optional.of(takeBatch());
        }
        range = null;
      }
    }
  }

  /** The offset after the last record; known after {@link #next} returned empty. */
  public long endByte() {
    if (endByte < 0) {
      throw new IllegalStateException("BUG: the end of " + file.name() + " is not known yet");
    }
    return endByte;
  }

  private void begin(UnreadRange next) throws IOException {
    range = next;
    stream.goTo(next.firstByte());
    scanner = new RecordScanner(file.format(), file.lineEnd());
    firstByte = next.firstByte();
    firstLine = next.firstLine();
    lineBase = next.firstLine();
    lineAtCut = firstLine;
    filled = 0;
    scanned = 0;
    cut = 0;
    rows = 0;
  }

  /** Scans the buffer. Returns true if a batch is complete or the range has ended. */
  private boolean findBatch() throws IOException {
    while (rows < bounds.rows() && (cut < bounds.bytes() || rows == 0)) {
      int end = scanner.next(buffer, scanned, filled);
      if (end < 0) {
        scanned = filled;
        if (rows > 0 && scanned >= bounds.bytes()) {
          // The unfinished record belongs to the next batch.
          return true;
        }
        if (!fill()) {
          return endRange();
        }
        continue;
      }
      if (isEndMarker(cut, end)) {
        requireNothingBehind(end);
        return true;
      }
      scanned = end;
      cut = end;
      rows++;
      lineAtCut = lineBase + scanner.lines();
    }
    return true;
  }

  /** Reads more bytes. Returns false at the end. */
  private boolean fill() throws IOException {
    if (filled - cut > bounds.longestRecord()) {
      throw new SluiceException.Data(
          "%s, line %d: the record that begins here does not end within %s%s"
              .formatted(
                  file.name(),
                  lineAtCut,
                  DataSize.ofBytes(bounds.longestRecord()),
                  scanner.isInQuotes() ? "; a quote is probably never closed" : ""),
          null);
    }
    if (filled == buffer.length) {
      long wanted = Math.min(2L * buffer.length, Integer.MAX_VALUE - 16L);
      buffer = Arrays.copyOf(buffer, (int) wanted);
    }
    long left = range.endByte() - stream.place();
    int room = (int) Math.min(Math.min(buffer.length - filled, READ_BYTES), left);
    int count = room == 0 ? -1 : stream.read(buffer, filled, room);
    filled += Math.max(0, count);
    return count > 0;
  }

  private boolean endRange() {
    if (range.endByte() != Long.MAX_VALUE) {
      if (cut != filled || firstByte + cut != range.endByte()) {
        throw new SluiceException.Fatal(
            "%s: no record ends at byte %d, where one did before; the file has changed"
                .formatted(file.name(), range.endByte()),
            null);
      }
      return true;
    }
    ended = true;
    if (cut < filled) {
      if (isEndMarker(cut, filled)) {
        endByte = firstByte + cut;
        return true;
      }
      // The last record without a line break.
      rows++;
      cut = filled;
      lineAtCut = lineBase + scanner.lines() + 1;
    }
    endByte = firstByte + cut;
    return true;
  }

  private boolean isEndMarker(int from, int to) {
    if (file.format().kind() != FileFormat.Kind.TEXT || to - from < 2 || to - from > 4) {
      return false;
    }
    for (int at = from + 2; at < to; at++) {
      if (buffer[at] != '\r' && buffer[at] != '\n') {
        return false;
      }
    }
    return buffer[from] == '\\' && buffer[from + 1] == '.';
  }

  /** Fails if anything follows the end marker: COPY would silently skip it. */
  private void requireNothingBehind(int from) throws IOException {
    long line = lineAtCut;
    int at = from;
    do {
      for (; at < filled; at++) {
        if (buffer[at] > ' ' || buffer[at] < 0) {
          throw new SluiceException.Data(
              "%s, line %d: \\. ends the rows, but more follows it".formatted(file.name(), line),
              null);
        }
      }
    } while (fill());
    ended = true;
    endByte = firstByte + cut;
  }

  private RowBatch takeBatch() throws IOException {
    BatchOffset place = new BatchOffset(firstByte, firstByte + cut, firstLine, lineAtCut, rows);
    RowBatch batch = new RowBatch(file, place, Arrays.copyOf(buffer, cut), stream.packedPlace());
    System.arraycopy(buffer, cut, buffer, 0, filled - cut);
    filled -= cut;
    scanned -= cut;
    firstByte = place.endByte();
    firstLine = lineAtCut;
    cut = 0;
    rows = 0;
    if (ended) {
      range = null;
    }
    return batch;
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
