package dev.sluice.load.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A range of a file whose records are not on the target yet. Immutable.
 *
 * @param firstByte offset at which a record begins
 * @param firstLine the line of that record
 * @param endByte offset at which a record ends; {@link Long#MAX_VALUE} for the end of the file
 */
public record UnreadRange(long firstByte, long firstLine, long endByte) {

  /**
   * The remaining ranges of a file, in order; the last one has no end.
   *
   * @param done the batches that are on the target, in any order
   */
  public static List<UnreadRange> of(DataFile file, List<BatchOffset> done) {
    List<UnreadRange> left = new ArrayList<>();
    long place = file.firstByte();
    long line = file.firstLine();
    for (BatchOffset batch :
        done.stream().sorted(Comparator.comparingLong(BatchOffset::firstByte)).toList()) {
      if (batch.firstByte() < place) {
        throw new IllegalStateException(
            "BUG: byte %d of %s is in two batches".formatted(batch.firstByte(), file.name()));
      }
      if (batch.firstByte() > place) {
        left.add(new UnreadRange(place, line, batch.firstByte()));
      }
      place = batch.endByte();
      line = batch.nextLine();
    }
    left.add(new UnreadRange(place, line, Long.MAX_VALUE));
    return left;
  }
}
