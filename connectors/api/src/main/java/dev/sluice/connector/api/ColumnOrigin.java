package dev.sluice.connector.api;

import java.util.Objects;

/**
 * Which column of its table a column is, and what the rows hold that were there before it, as far
 * as the source's catalog says so. Two shapes of a table's rows can so be compared where nothing
 * else tells how one became the other. Immutable.
 *
 * @param number of the column in its table, the same through renames and never given again;
 *     negative for a column that is made beside another one; 0 where it is not known
 * @param before whether it is known what the older rows hold
 * @param value what they hold, in text form, where that is a value; else null
 */
public record ColumnOrigin(int number, Before before, String value) {
  /** Nothing is known. */
  public static final ColumnOrigin UNKNOWN = new ColumnOrigin(0, Before.UNKNOWN, null);

  /** What the rows hold that were there before the column. */
  public enum Before {
    UNKNOWN,
    NULL,
    VALUE
  }

  public ColumnOrigin {
    Objects.requireNonNull(before, "before");
    if ((value != null) != (before == Before.VALUE)) {
      throw new IllegalArgumentException(before + " with " + value);
    }
  }

  public static ColumnOrigin of(int number) {
    return new ColumnOrigin(number, Before.UNKNOWN, null);
  }

  public static ColumnOrigin withNull(int number) {
    return new ColumnOrigin(number, Before.NULL, null);
  }

  public static ColumnOrigin withValue(int number, String value) {
    return new ColumnOrigin(number, Before.VALUE, value);
  }

  /** Whether both are known to be of one and the same column. */
  public boolean isOfSame(ColumnOrigin other) {
    return number != 0 && number == other.number;
  }

  /** Whether both are known, and of two columns. */
  public boolean isOfAnother(ColumnOrigin other) {
    return number != 0 && other.number != 0 && number != other.number;
  }
}
