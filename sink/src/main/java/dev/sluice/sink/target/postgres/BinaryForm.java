package dev.sluice.sink.target.postgres;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How values of a type are written in COPY's binary format: from PostgreSQL's text form into the
 * bytes that the type's receive function reads. Both end as the same value. Lengths, precisions and
 * the ranges of dates are checked by the server, as of texts. Stateless.
 */
enum BinaryForm {
  BOOL(16),
  BYTEA(17),
  INT8(20),
  INT2(21),
  INT4(23),
  TEXT(25),
  FLOAT4(700),
  FLOAT8(701),
  BPCHAR(1042),
  VARCHAR(1043),
  DATE(1082),
  TIME(1083),
  TIMESTAMP(1114),
  TIMESTAMPTZ(1184),
  /** Of no column of a table: the masks of staged rows. */
  VARBIT(-1),
  NUMERIC(1700),
  UUID(2950);

  private static final Map<Long, BinaryForm> BY_TYPE =
      Arrays.stream(values()).collect(Collectors.toMap(form -> form.type, Function.identity()));

  /** The type's object id, which is the same on all servers. */
  private final long type;

  BinaryForm(long type) {
    this.type = type;
  }

  /**
   * The form of a type's values; empty if they are written as text only.
   *
   * @param type its object id
   */
  static Optional<BinaryForm> of(long type) {
    return Optional.ofNullable(BY_TYPE.get(type));
  }

  /** The most bytes that a value takes, whose text has so many. */
  int longest(int textBytes) {
    return switch (this) {
      case TEXT, BPCHAR, VARCHAR -> textBytes;
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
   * @throws dev.sluice.sink.target.NoBinaryForm if the text is not in a form that is known
   */
  void write(byte[] text, int from, int to, BinaryOutput out) {
    switch (this) {
      case TEXT, BPCHAR, VARCHAR -> out.bytes(text, from, to);
      case BYTEA -> BinaryNumbers.hex(text, from, to, out);
      case BOOL -> out.int8(BinaryNumbers.bool(text, from, to));
      case INT2 -> out.int16((int) BinaryNumbers.integer(text, from, to, Short.MAX_VALUE));
      case INT4 -> out.int32((int) BinaryNumbers.integer(text, from, to, Integer.MAX_VALUE));
      case INT8 -> out.int64(BinaryNumbers.integer(text, from, to, Long.MAX_VALUE));
      case FLOAT4 -> out.int32(BinaryNumbers.float4(text, from, to));
      case FLOAT8 -> out.int64(BinaryNumbers.float8(text, from, to));
      case NUMERIC -> BinaryNumeric.write(text, from, to, out);
      case DATE -> out.int32(BinaryTimes.date(text, from, to));
      case TIME -> out.int64(BinaryTimes.time(text, from, to));
      case TIMESTAMP -> out.int64(BinaryTimes.timestamp(text, from, to, false));
      case TIMESTAMPTZ -> out.int64(BinaryTimes.timestamp(text, from, to, true));
      case UUID -> BinaryNumbers.uuid(text, from, to, out);
      case VARBIT -> throw new IllegalStateException("BUG: a mask is no value of a row");
    }
  }
}
