package dev.sluice.sink.target.postgres;

import java.util.Map;
import java.util.Optional;

/**
 * How values of a type are written in COPY's binary format: from PostgreSQL's text form into the
 * bytes that the type's receive function reads. Both end as the same value. Stateless.
 */
enum BinaryForm {
  TEXT,
  JSONB,
  BYTEA,
  BOOL,
  INT2,
  INT4,
  INT8,
  FLOAT4,
  FLOAT8,
  NUMERIC,
  DATE,
  TIMESTAMP,
  TIMESTAMPTZ,
  UUID;

  private static final Map<String, BinaryForm> FORMS =
      Map.ofEntries(
          Map.entry("pg_catalog.bool", BOOL),
          Map.entry("pg_catalog.bpchar", TEXT),
          Map.entry("pg_catalog.bytea", BYTEA),
          Map.entry("pg_catalog.date", DATE),
          Map.entry("pg_catalog.float4", FLOAT4),
          Map.entry("pg_catalog.float8", FLOAT8),
          Map.entry("pg_catalog.int2", INT2),
          Map.entry("pg_catalog.int4", INT4),
          Map.entry("pg_catalog.int8", INT8),
          Map.entry("pg_catalog.json", TEXT),
          Map.entry("pg_catalog.jsonb", JSONB),
          Map.entry("pg_catalog.numeric", NUMERIC),
          Map.entry("pg_catalog.text", TEXT),
          Map.entry("pg_catalog.timestamp", TIMESTAMP),
          Map.entry("pg_catalog.timestamptz", TIMESTAMPTZ),
          Map.entry("pg_catalog.uuid", UUID),
          Map.entry("pg_catalog.varchar", TEXT));

  /**
   * The form of a type's values; empty if they are written as text only.
   *
   * @param bareType the type with its schema, without modifiers
   */
  static Optional<BinaryForm> of(String bareType) {
    // PostgreSQL quotes a name that is a keyword, which differs between versions.
    return Optional.ofNullable(FORMS.get(bareType.replace("\"", "")));
  }

  /** Whether a value may have any length. */
  boolean isLarge() {
    return this == TEXT || this == JSONB || this == BYTEA;
  }

  /** The most bytes that a value takes, whose text has so many. */
  int longest(int textBytes) {
    return switch (this) {
      case TEXT -> textBytes;
      case JSONB -> textBytes + 1;
      case BYTEA -> textBytes / 2;
      // Two bytes for four digits; a group on each side of the point may be incomplete.
      case NUMERIC -> textBytes + 12;
      default -> 16;
    };
  }

  /**
   * Writes a value.
   *
   * @param text its bytes from {@code from} (inclusive) to {@code to} (exclusive)
   * @throws NoBinaryForm if the text is not in the form that PostgreSQL prints
   */
  void write(byte[] text, int from, int to, BinaryOutput out) throws NoBinaryForm {
    switch (this) {
      case TEXT -> out.bytes(text, from, to);
      case JSONB -> {
        out.int8(1);
        out.bytes(text, from, to);
      }
      case BYTEA -> BinaryNumbers.hex(text, from, to, out);
      case BOOL -> out.int8(BinaryNumbers.bool(text, from, to));
      case INT2 -> out.int16((int) BinaryNumbers.integer(text, from, to, Short.MAX_VALUE));
      case INT4 -> out.int32((int) BinaryNumbers.integer(text, from, to, Integer.MAX_VALUE));
      case INT8 -> out.int64(BinaryNumbers.integer(text, from, to, Long.MAX_VALUE));
      case FLOAT4 -> out.int32(BinaryNumbers.float4(text, from, to));
      case FLOAT8 -> out.int64(BinaryNumbers.float8(text, from, to));
      case NUMERIC -> BinaryNumeric.write(text, from, to, out);
      case DATE -> out.int32(BinaryTimes.date(text, from, to));
      case TIMESTAMP -> out.int64(BinaryTimes.timestamp(text, from, to, false));
      case TIMESTAMPTZ -> out.int64(BinaryTimes.timestamp(text, from, to, true));
      case UUID -> BinaryNumbers.uuid(text, from, to, out);
    }
  }
}
