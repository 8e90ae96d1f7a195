package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;

/** Builds a row value by value; can be reused after {@link #build}. Not threadsafe. */
public final class RowBuilder {
  private final ByteSink bytes;
  private int columns;

  public RowBuilder(int expectedBytes) {
    this.bytes = new ByteSink(Math.max(16, expectedBytes));
  }

  public RowBuilder addNull() {
    bytes.writeVarint(Row.NULL);
    columns++;
    return this;
  }

  public RowBuilder addUnchanged() {
    bytes.writeVarint(Row.UNCHANGED);
    columns++;
    return this;
  }

  public RowBuilder add(String text) {
    return text == null ? addNull() : add(text.getBytes(StandardCharsets.UTF_8));
  }

  public RowBuilder add(byte[] text) {
    return add(text, 0, text.length);
  }

  public RowBuilder add(byte[] buffer, int offset, int length) {
    bytes.writeVarint(length + 2);
    bytes.write(buffer, offset, length);
    columns++;
    return this;
  }

  /** Adds the cursor's current value. */
  public RowBuilder add(ValueCursor value) {
    if (value.isNull()) {
      return addNull();
    }
    if (value.isUnchanged()) {
      return addUnchanged();
    }
    return add(value.buffer(), value.offset(), value.length());
  }

  /** The row of the values added since the last call. */
  public Row build() {
    Row row = new Row(bytes.toByteArray(), columns);
    discard();
    return row;
  }

  /** Drops the values added since the last row, of a row that will not be completed. */
  public void discard() {
    bytes.reset();
    columns = 0;
  }

  /** A row of texts, null for NULL. */
  public static Row rowOf(String... values) {
    RowBuilder builder = new RowBuilder(64);
    for (String value : values) {
      builder.add(value);
    }
    return builder.build();
  }
}
