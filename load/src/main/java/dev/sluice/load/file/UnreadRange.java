package dev.sluice.load.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Records of a file that are not on the target yet. Immutable.
 *
 * @param firstByte where a record begins
 * @param firstLine its line
 * @param endByte where one ends; {@link Long#MAX_VALUE}: up to the file's end
 */
public record UnreadRange(long firstByte, long firstLine, long endByte) {

  /**
   * What is left of a file, in its order; the last range has no end.
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
