package dev.sluice.connector.api;

import java.util.Objects;

/**
 * The identity of a column in the source's catalog, and the value that older rows have for it. It
 * allows to compare two schemas of a table if no event trigger reports DDL. Immutable.
 *
 * @param number of the column in its table; a rename keeps it, and it is never used again; negative
 *     for a column that is derived from another one; 0 if unknown
 * @param before what is known of the value in older rows
 * @param value the value in older rows, in text form, for {@link Before#VALUE}; else null
 */
public record ColumnOrigin(int number, Before before, String value) {
  /** Nothing is known. */
  public static final ColumnOrigin UNKNOWN = new ColumnOrigin(0, Before.UNKNOWN, null);

  /** The value that rows older than the column have. */
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

  /** Whether both are known and the same column. */
  public boolean isOfSame(ColumnOrigin other) {
    return number != 0 && number == other.number;
  }

  /** Whether both are known and different columns. */
  public boolean isOfAnother(ColumnOrigin other) {
    return number != 0 && other.number != 0 && number != other.number;
  }
}
