package dev.sluice.connector.api.comparison;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Optional;

/**
 * What is read of a table on one side. Immutable.
 *
 * @param table its name on this side
 * @param withLeaves whether rows of its partitions are included
 * @param key columns of this side that identify a row, in the order of the key's values; empty: the
 *     table has no key
 * @param keyOrder the same columns, by name, in the order in which ranges of keys compare them
 * @param values the compared values, the key's among them, in the same order on both sides
 * @param condition of the rows, in this side's SQL; empty: all
 * @param leftOut keys whose rows are not read
 * @param whole whether values are read complete; otherwise a large one is read as its length and
 *     digest, which is for people
 */
public record ComparedRows(
    TableId table,
    boolean withLeaves,
    List<ComparedValue> key,
    List<String> keyOrder,
    List<ComparedValue> values,
    Optional<String> condition,
    List<RowKey> leftOut,
    boolean whole) {

  /** Rows of which large values are read as length and digest. */
  public ComparedRows(
      TableId table,
      boolean withLeaves,
      List<ComparedValue> key,
      List<String> keyOrder,
      List<ComparedValue> values,
      Optional<String> condition,
      List<RowKey> leftOut) {
    this(table, withLeaves, key, keyOrder, values, condition, leftOut, false);
  }

  public ComparedRows {
    key = List.copyOf(key);
    keyOrder = List.copyOf(keyOrder);
    values = List.copyOf(values);
    leftOut = List.copyOf(leftOut);
  }

  /** The same rows without those of the keys. */
  public ComparedRows leavingOut(List<RowKey> keys) {
    return new ComparedRows(table, withLeaves, key, keyOrder, values, condition, keys, whole);
  }
}
