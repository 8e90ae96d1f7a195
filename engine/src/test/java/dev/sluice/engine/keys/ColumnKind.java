package dev.sluice.engine.keys;

import java.util.Random;

/** The columns that random tables are made of. */
enum ColumnKind {
  UID("bigint"),
  ID("int"),
  A("int"),
  B("int"),
  C("text"),
  D("text"),
  REFERENCE("int"),
  RANGE("int4range"),
  NUMERIC("numeric"),
  FLOAT("float8"),
  PADDED("char(4)"),
  TIME("timestamptz"),
  ARRAY("int[]"),
  FOLDED("text COLLATE public.folded"),
  CITEXT("public.citext"),
  DOMAIN("public.small"),
  PAIR("public.pair"),
  POINT("point"),
  BOX("box"),
  JSON("json");

  private final String type;

  ColumnKind(String type) {
    this.type = type;
  }

  String type() {
    return type;
  }

  /** A value as SQL, out of so few that rows meet. */
  String value(Random random) {
    if (this != ID && this != UID && random.nextInt(8) == 0) {
      return "NULL";
    }
    return switch (this) {
      case UID -> throw new IllegalStateException("BUG: each row has a uid of its own");
      case ID -> Integer.toString(random.nextInt(8));
      case A, B -> Integer.toString(random.nextInt(5));
      case REFERENCE -> Integer.toString(random.nextInt(8));
      case C ->
          random.nextInt(2) == 0
              ? "repeat('%d', %d)".formatted(random.nextInt(3), 2500 + random.nextInt(3))
              : one(random, "'x'", "'X'", "''", "E'\\\\N'");
      case D -> one(random, "'x'", "'X'", "'y'", "''", "E'\\\\\\t\"{,}''é'", "'\u2028'");
      case RANGE -> {
        int from = random.nextInt(6);
        yield "int4range(%d, %d)".formatted(from, from + random.nextInt(3));
      }
      case NUMERIC -> one(random, "1", "1.0", "1.00", "2", "'NaN'", "-0.5", "1e20");
      case FLOAT -> one(random, "0", "'-0'", "1.5", "'NaN'", "'Infinity'", "1e-300");
      case PADDED -> one(random, "'a'", "'a '", "'ab'", "''", "'abcd'");
      case TIME ->
          one(
              random,
              "'2026-03-29 01:30:00+00'",
              "'2026-03-29 03:30:00.5+02'",
              "'2026-10-25 02:30:00+01'",
              "'infinity'",
              "'0044-03-15 12:00:00+00 BC'");
      case ARRAY -> one(random, "'{}'", "'{1,2}'", "'{1,NULL}'", "'[0:1]={1,2}'", "'{{1},{2}}'");
      case FOLDED, CITEXT -> one(random, "'a'", "'A'", "'b'", "'ä'", "'Ä'", "'ab'");
      case DOMAIN -> Integer.toString(random.nextInt(6));
      case PAIR -> "ROW(%d, %s)".formatted(random.nextInt(3), one(random, "'x'", "NULL", "'a,\"'"));
      case POINT -> "point(%d, %d)".formatted(random.nextInt(2), random.nextInt(2));
      case BOX -> {
        int from = random.nextInt(5);
        yield "box(point(%d, 0), point(%d, 1))".formatted(from, from + 1);
      }
      case JSON -> one(random, "'{\"a\": 1}'", "'{\"a\":1}'", "'[1, 2]'", "'null'");
    };
  }

  private static String one(Random random, String... values) {
    return values[random.nextInt(values.length)];
  }
}
