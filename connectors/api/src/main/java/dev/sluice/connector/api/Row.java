package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The values of one row: each is NULL, <em>unchanged</em> (TOAST that the log does not repeat) or
 * PostgreSQL's text form in UTF-8. Immutable. The row is kept in its encoded form: for each column
 * a variable-length number (0 NULL, 1 unchanged, n + 2 a value of n bytes), then the value's bytes.
 * Equal rows have equal bytes.
 */
public final class Row {
  static final int NULL = 0;
  static final int UNCHANGED = 1;

  /** Heap bytes of a row without its encoded bytes. */
  private static final int OVERHEAD = 56;

  private final byte[] encoded;
  private final int columns;
  private int hash;

  Row(byte[] encoded, int columns) {
    this.encoded = encoded;
    this.columns = columns;
  }

  public int columns() {
    return columns;
  }

  /** Approximate heap bytes of this row. */
  public int retainedBytes() {
    return OVERHEAD + encoded.length;
  }

  /** Bytes of the encoded values. */
  public int encodedBytes() {
    return encoded.length;
  }

  /** A cursor over the values in column order, which does not copy them. */
  public ValueCursor cursor() {
    return new ValueCursor(encoded, 0, columns);
  }

  /** The value of a column as text; null for NULL and unchanged. Slow: for messages and tests. */
  public String text(int column) {
    ValueCursor cursor = cursor();
    for (int i = 0; i <= column; i++) {
      cursor.next();
    }
    return cursor.isNull() || cursor.isUnchanged() ? null : cursor.text();
  }

  public boolean isUnchanged(int column) {
    ValueCursor cursor = cursor();
    for (int i = 0; i <= column; i++) {
      cursor.next();
    }
    return cursor.isUnchanged();
  }

  public boolean hasUnchanged() {
    ValueCursor cursor = cursor();
    while (cursor.next()) {
      if (cursor.isUnchanged()) {
        return true;
      }
    }
    return false;
  }

  /** A row of the named columns only; {@code ascending} are column indexes in ascending order. */
  public Row project(int[] ascending) {
    // The size is computed first: a key is projected from each row and is mostly a small part of
    // it.
    byte[] projection = new byte[projectedBytes(ascending)];
    ValueCursor cursor = cursor();
    int size = 0;
    int at = 0;
    for (int i = 0; at < ascending.length; i++) {
      int begin = cursor.end();
      cursor.next();
      if (ascending[at] == i) {
        int length = cursor.end() - begin;
        System.arraycopy(encoded, begin, projection, size, length);
        size += length;
        at++;
      }
    }
    return new Row(projection, ascending.length);
  }

  /** Whether {@link #project} would return that row, without creating one. */
  boolean projectsTo(int[] ascending, Row projection) {
    if (projection.columns != ascending.length) {
      return false;
    }
    ValueCursor cursor = cursor();
    int from = 0;
    int at = 0;
    for (int i = 0; at < ascending.length; i++) {
      int begin = cursor.end();
      cursor.next();
      if (ascending[at] == i) {
        int to = from + cursor.end() - begin;
        if (to > projection.encoded.length
            || !Arrays.equals(encoded, begin, cursor.end(), projection.encoded, from, to)) {
          return false;
        }
        from = to;
        at++;
      }
    }
    return from == projection.encoded.length;
  }

  private int projectedBytes(int[] ascending) {
    ValueCursor cursor = cursor();
    int bytes = 0;
    int at = 0;
    for (int i = 0; at < ascending.length; i++) {
      int begin = cursor.end();
      cursor.next();
      if (ascending[at] == i) {
        bytes += cursor.end() - begin;
        at++;
      }
    }
    return bytes;
  }

  /**
   * This row with its unchanged values filled from an earlier image of the same row. A value that
   * is unchanged in both stays unchanged.
   */
  public Row filledFrom(Row earlier) {
    if (!hasUnchanged()) {
      return this;
    }
    if (earlier.columns != columns) {
      throw new IllegalArgumentException(
          "BUG: a row of " + columns + " columns filled from one of " + earlier.columns);
    }
    RowBuilder builder = new RowBuilder(encoded.length + earlier.encoded.length);
    ValueCursor mine = cursor();
    ValueCursor theirs = earlier.cursor();
    while (mine.next()) {
      theirs.next();
      builder.add(mine.isUnchanged() ? theirs : mine);
    }
    return builder.build();
  }

  /**
   * This row as the earlier image of a later one: values that both have are unchanged.
   *
   * @param later with the same columns
   */
  public Row asBefore(Row later) {
    RowBuilder builder = new RowBuilder(encoded.length);
    ValueCursor mine = cursor();
    ValueCursor theirs = later.cursor();
    while (mine.next()) {
      theirs.next();
      if (mine.isSameAs(theirs)) {
        builder.addUnchanged();
      } else {
        builder.add(mine);
      }
    }
    return builder.build();
  }

  /**
   * A row that {@link #copyTo} copied.
   *
   * @param from index of its first byte
   * @param to index after its last byte
   */
  public static Row ofEncoded(byte[] bytes, int from, int to, int columns) {
    return new Row(Arrays.copyOfRange(bytes, from, to), columns);
  }

  /** Copies the encoded values, which are {@link #encodedBytes} bytes. */
  public void copyTo(byte[] bytes, int from) {
    System.arraycopy(encoded, 0, bytes, from, encoded.length);
  }

  /** Whether these bytes are the encoded values of this row. */
  public boolean isEncodedAs(byte[] bytes, int from, int to) {
    return Arrays.equals(encoded, 0, encoded.length, bytes, from, to);
  }

  byte[] encoded() {
    return encoded;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Row that
        && columns == that.columns
        && Arrays.equals(encoded, that.encoded);
  }

  @Override
  public int hashCode() {
    if (hash == 0) {
      hash = Arrays.hashCode(encoded);
    }
    return hash;
  }

  /** For messages: {@code (1, NULL, 'text')}; long values are shortened. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("(");
    ValueCursor cursor = cursor();
    for (int i = 0; cursor.next(); i++) {
      if (i > 0) {
        text.append(", ");
      }
      if (cursor.isNull()) {
        text.append("NULL");
      } else if (cursor.isUnchanged()) {
        text.append("unchanged");
      } else {
        int shown = Math.min(cursor.length(), 64);
        text.append('\'')
            .append(new String(cursor.buffer(), cursor.offset(), shown, StandardCharsets.UTF_8))
            .append(shown < cursor.length() ? "…'" : "'");
      }
    }
    return text.append(')').toString();
  }
}
