package dev.sluice.connector.postgres.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Messages of pgoutput, written by hand. */
final class PgoutputMessage {
  /** Stands for a value that the log does not repeat. */
  static final String UNCHANGED = "\0unchanged";

  /** Behind other bytes, as in a message that came over a connection. */
  private final ByteBuffer bytes = ByteBuffer.allocate(4096).position(25);

  static PgoutputMessage of(char kind) {
    return new PgoutputMessage().kind(kind);
  }

  static ByteBuffer begin() {
    return of('B').int8(100).int8(0).int4(7).message();
  }

  static ByteBuffer commit(long end, long micros) {
    return of('C').int1(0).int8(end - 8).int8(end).int8(micros).message();
  }

  /**
   * A table of schema public.
   *
   * @param columns names; one that ends with ! belongs to the replica identity
   */
  static ByteBuffer relation(int id, String table, char identity, String... columns) {
    PgoutputMessage relation = of('R').int4(id).string("public").string(table).kind(identity);
    relation.int2(columns.length);
    for (String column : columns) {
      boolean key = column.endsWith("!");
      relation.int1(key ? 1 : 0).string(key ? column.substring(0, column.length() - 1) : column);
      relation.int4(25).int4(-1);
    }
    return relation.message();
  }

  PgoutputMessage row(char kind, String... values) {
    kind(kind).int2(values.length);
    for (String value : values) {
      if (value == null) {
        kind('n');
      } else if (value.equals(UNCHANGED)) {
        kind('u');
      } else {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        kind('t').int4(text.length).bytes.put(text);
      }
    }
    return this;
  }

  PgoutputMessage kind(char kind) {
    return int1(kind);
  }

  PgoutputMessage int1(int value) {
    bytes.put((byte) value);
    return this;
  }

  PgoutputMessage int2(int value) {
    bytes.putShort((short) value);
    return this;
  }

  PgoutputMessage int4(int value) {
    bytes.putInt(value);
    return this;
  }

  PgoutputMessage int8(long value) {
    bytes.putLong(value);
    return this;
  }

  PgoutputMessage string(String text) {
    bytes.put(text.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
    return this;
  }

  ByteBuffer message() {
    return bytes.limit(bytes.position()).position(25).slice();
  }
}
