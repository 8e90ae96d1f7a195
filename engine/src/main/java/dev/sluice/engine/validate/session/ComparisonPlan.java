package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.List;

/**
 * What a session should compare of one table. Immutable.
 *
 * @param table its name on the source
 * @param key columns of its key on the source, in the order of the values of every {@link RowKey};
 *     empty: the table has no key and is compared as a whole
 * @param ranges parts to read, each divided into chunks; none: no part is read. A table that cannot
 *     be divided by key ranges is read from its beginning, whatever the range
 * @param touched keys to look up on both sides
 * @param wholeValues whether differences have complete values; otherwise a large one is shown by
 *     its length and digest, which is for people
 * @param recorded whether each chunk has the statements by which it is read again
 * @param parts how many rows a chunk has
 */
public record ComparisonPlan(
    TableId table,
    List<String> key,
    List<KeyRange> ranges,
    List<RowKey> touched,
    boolean wholeValues,
    boolean recorded,
    PartSize parts) {

  /**
   * Large values of differences are shown by length and digest; nothing is recorded; chunks are
   * whole.
   */
  public ComparisonPlan(
      TableId table, List<String> key, List<KeyRange> ranges, List<RowKey> touched) {
    this(table, key, ranges, touched, false, false, PartSize.WHOLE);
  }

  public ComparisonPlan {
    key = List.copyOf(key);
    ranges = List.copyOf(ranges);
    touched = List.copyOf(touched);
  }

  /** The same with complete values, to write them to the target. */
  public ComparisonPlan withWholeValues() {
    return new ComparisonPlan(table, key, ranges, touched, true, recorded, parts);
  }

  /** The same with the statements by which each chunk is read again. */
  public ComparisonPlan withRechecks() {
    return new ComparisonPlan(table, key, ranges, touched, wholeValues, true, parts);
  }

  /** The same with chunks of another size. */
  public ComparisonPlan withParts(PartSize size) {
    return new ComparisonPlan(table, key, ranges, touched, wholeValues, recorded, size);
  }

  /** A first pass over all rows. */
  public static ComparisonPlan whole(TableId table, List<String> key) {
    return new ComparisonPlan(table, key, List.of(KeyRange.ALL), List.of());
  }

  /** Only looks keys up. */
  public static ComparisonPlan touched(TableId table, List<String> key, List<RowKey> touched) {
    return new ComparisonPlan(table, key, List.of(), touched);
  }
}
