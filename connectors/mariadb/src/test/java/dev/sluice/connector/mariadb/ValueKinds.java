package dev.sluice.connector.mariadb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Columns of all types that can be replicated, with random attributes and values. Stateless. */
public final class ValueKinds {
  /** Which MySQL does not have. */
  private static final Pattern OF_MARIADB = Pattern.compile("UUID|INET.*");

  private ValueKinds() {}

  /** Each type at least once; lengths, precisions and character sets differ from call to call. */
  public static List<ValueKind> all(Random random, boolean mysql) {
    List<ValueKind> kinds = new ArrayList<>();
    numbers(kinds, random);
    times(kinds);
    texts(kinds, random);
    bytes(kinds, random, mysql);
    labels(kinds);
    if (mysql) {
      kinds.removeIf(kind -> OF_MARIADB.matcher(kind.type()).matches());
      kinds.add(new ValueKind("JSON", ValueKinds::json));
      kinds.add(new ValueKind("JSON", ValueKinds::json));
    }
    // What the log says of columns is in lists of those of some types.
    Collections.shuffle(kinds, random);
    return kinds;
  }

  private static void numbers(List<ValueKind> kinds, Random random) {
    int bits = 8;
    for (String type : List.of("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT")) {
      int wide = bits;
      kinds.add(new ValueKind(type, any -> integer(any, wide, true)));
      kinds.add(new ValueKind(type + " UNSIGNED", any -> integer(any, wide, false)));
      kinds.add(new ValueKind(type + " UNSIGNED ZEROFILL", any -> integer(any, wide, false)));
      bits = bits == 32 ? 64 : bits + 8;
    }
    kinds.add(new ValueKind("BOOLEAN", any -> pick(any, "TRUE", "FALSE")));
    kinds.add(new ValueKind("YEAR", any -> pick(any, "0", "1901", "2155", "2026")));
    kinds.add(new ValueKind("DECIMAL(65,30)", any -> decimal(any, 35, 30)));
    kinds.add(new ValueKind("DECIMAL(10,0)", any -> decimal(any, 10, 0)));
    kinds.add(new ValueKind("DECIMAL(9,9)", any -> decimal(any, 0, 9)));
    for (int i = 0; i < 4; i++) {
      int scale = random.nextInt(31);
      int whole = Math.max(scale == 0 ? 1 : 0, random.nextInt(36));
      String type = "DECIMAL(%d,%d)".formatted(whole + scale, scale);
      kinds.add(new ValueKind(type, any -> decimal(any, whole, scale)));
      kinds.add(
          new ValueKind(
              type + pick(random, " UNSIGNED", " ZEROFILL"),
              any -> decimal(any, whole, scale).replace("-", "")));
    }
    kinds.add(
        new ValueKind(
            "FLOAT",
            any ->
                pick(
                    any,
                    Float.toString(any.nextFloat() * power(any, 30)),
                    pick(
                        any,
                        "0e0",
                        "-0e0",
                        "3.4028234e38",
                        "-1.17549435e-38",
                        (1 + any.nextInt(3000)) + "e-45"))));
    kinds.add(new ValueKind("FLOAT(7,2)", any -> decimal(any, 5, 2)));
    kinds.add(new ValueKind("DOUBLE(12,3) UNSIGNED", any -> decimal(any, 9, 3).replace("-", "")));
    kinds.add(
        new ValueKind(
            "DOUBLE",
            any ->
                pick(
                    any,
                    Double.toString(any.nextGaussian() * power(any, 200)),
                    pick(
                        any,
                        "0e0",
                        "-0e0",
                        "1.7976931348623157e308",
                        "2.2250738585072014e-308",
                        "-1.2345678901234567e-300",
                        (3 + any.nextInt(3000)) + "e-324"))));
    kinds.add(new ValueKind("DOUBLE", any -> Integer.toString(any.nextInt(100_000_000))));
    // Exactly between two numbers of 17 digits.
    kinds.add(new ValueKind("DOUBLE", any -> (1_000_000_000_000_000L + any.nextInt()) + ".25"));
    for (int width : new int[] {1, 1 + random.nextInt(64), 64}) {
      kinds.add(new ValueKind("BIT(" + width + ")", any -> integer(any, width, false)));
    }
  }

  private static void times(List<ValueKind> kinds) {
    kinds.add(new ValueKind("DATE", ValueKinds::date));
    for (int digits = 0; digits <= 6; digits++) {
      int fraction = digits;
      kinds.add(new ValueKind("DATETIME(" + fraction + ")", any -> datetime(any, fraction)));
      kinds.add(new ValueKind("TIMESTAMP(" + fraction + ") NULL", any -> timestamp(any, fraction)));
      kinds.add(new ValueKind("TIME(" + fraction + ")", any -> time(any, fraction)));
    }
  }

  /**
   * Characters that each character set has, apart from ASCII; the first one also has the others.
   */
  private static final String[][] CHARACTERS = {
    {"utf8mb4", "ä€𝄞ßあ\u00a0\u200b"},
    {"utf8mb3", "ä€ßあ"},
    {"ascii", "~"},
    {"latin1", "äß€…"},
    {"latin2", "äčž"},
    {"latin5", "äğ"},
    {"latin7", "äž"},
    {"greek", "αω"},
    {"hebrew", "אב"},
    {"cp1250", "äč€"},
    {"cp1251", "жя€"},
    {"cp1256", "€ا"},
    {"cp1257", "äž€"},
    {"koi8r", "жя"},
    {"koi8u", "жї"},
    {"cp850", "äß"},
    {"cp852", "äč"},
    {"cp866", "жя"},
    {"ucs2", "ä€あ"},
    {"utf16", "ä€𝄞"},
    {"utf16le", "ä€𝄞"},
    {"gbk", "你好"},
    {"gb2312", "你好"},
    {"cp932", "あア"},
  };

  private static void texts(List<ValueKind> kinds, Random random) {
    for (String[] set : CHARACTERS) {
      int length = pick(random, 1, 63, 64, 85, 127, 128, 200, 255);
      String alphabet = "aA '\\\t\n\"" + set[1];
      String type = pick(random, "CHAR(%d)", "VARCHAR(%d)").formatted(length);
      kinds.add(
          new ValueKind(type + " CHARACTER SET " + set[0], any -> text(any, length, alphabet)));
    }
    String all = "aA '\\\t\n\r\b" + CHARACTERS[0][1];
    kinds.add(new ValueKind("VARCHAR(10) INVISIBLE DEFAULT 'none'", any -> text(any, 10, all)));
    kinds.add(new ValueKind("VARCHAR(0)", any -> "''"));
    kinds.add(new ValueKind("CHAR(0)", any -> "''"));
    for (String type : List.of("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT")) {
      String set = CHARACTERS[random.nextInt(2)][0];
      kinds.add(new ValueKind(type + " CHARACTER SET " + set, any -> text(any, 60, "aä€ \\\t")));
    }
    kinds.add(
        new ValueKind("LONGTEXT", any -> "repeat('aä€\t', %d)".formatted(any.nextInt(20_000))));
    kinds.add(new ValueKind("TEXT CHARACTER SET utf16", any -> text(any, 100, "aä€𝄞")));
    kinds.add(
        new ValueKind(
            "JSON", any -> "'{\"a\": [1, \"ä\\\\n" + any.nextInt(9) + "\"], \"b\" : null}'"));
  }

  /** Documents of all that MySQL keeps in its own form. */
  private static String json(Random random) {
    return pick(
        random,
        "CAST(" + number(random) + " AS JSON)",
        "JSON_ARRAY(%s, %s, TRUE, FALSE, NULL, %s)"
            .formatted(number(random), number(random), number(random)),
        "JSON_ARRAY(CAST(%s AS DECIMAL(65,30)), DATE%s, TIMESTAMP%s, CAST(%s AS TIME(6)))"
            .formatted(decimal(random, 30, 30), date(random), datetime(random, 6), time(random, 6)),
        "JSON_ARRAY(%s, CAST(repeat('x', 200) AS BINARY), b'101')".formatted(bytes(random, 200)),
        "JSON_OBJECT(%s, %s, 'ä\"', %s, 'c', JSON_OBJECT('', JSON_ARRAY()))"
            .formatted(
                text(random, 20, "ab\"ä𝄞"), number(random), text(random, 300, "a\"\\ä\t\n𝄞")),
        // Beyond 64 KiB, where sizes have four bytes.
        "JSON_ARRAY(repeat('ä', 40000), JSON_OBJECT('k', %s), 7, 70000, repeat('z', 40000))"
            .formatted(number(random)),
        "CONCAT('[', repeat('{\"a\": [1, -70000, true]}, ', 5000), '1]')");
  }

  private static String number(Random random) {
    return pick(
        random,
        integer(random, 1 + random.nextInt(64), true),
        integer(random, 64, false),
        Double.toString(random.nextGaussian() * power(random, 200)),
        pick(
            random, "1e15", "1e14", "1234567890123456.7", "-0e0", "1e-15", "1e-16", "0.1e0", "1e0"),
        decimal(random, 20, 10));
  }

  private static void bytes(List<ValueKind> kinds, Random random, boolean mysql) {
    int fixed = pick(random, 1, 8, 16, 254, 255);
    kinds.add(new ValueKind("BINARY(" + fixed + ")", any -> bytes(any, fixed)));
    int longest = pick(random, 1, 255, 256, 300);
    kinds.add(new ValueKind("VARBINARY(" + longest + ")", any -> bytes(any, longest)));
    for (String type : List.of("TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB")) {
      kinds.add(new ValueKind(type, any -> bytes(any, 255)));
    }
    kinds.add(new ValueKind("UUID", ValueKinds::uuid));
    kinds.add(
        new ValueKind("INET4", any -> "'%d.0.%d.1'".formatted(any.nextInt(256), any.nextInt(256))));
    kinds.add(new ValueKind("INET6", ValueKinds::inet6));
    kinds.add(new ValueKind("POINT", any -> "POINT(%d, 1.5)".formatted(any.nextInt())));
    for (String[] geometry :
        new String[][] {
          {"GEOMETRY", "LINESTRING(0 0, 1 1, 2 3)"},
          {"LINESTRING", "LINESTRING(0 0, 1 1)"},
          {"POLYGON", "POLYGON((0 0, 1 0, 1 1, 0 0))"},
          {"MULTIPOINT", "MULTIPOINT(0 0, 1 1)"},
          {"MULTILINESTRING", "MULTILINESTRING((0 0, 1 1), (2 2, 3 3))"},
          {"MULTIPOLYGON", "MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)))"},
          {"GEOMETRYCOLLECTION", "GEOMETRYCOLLECTION(POINT(1 1))"}
        }) {
      kinds.add(
          new ValueKind(
              geometry[0],
              any ->
                  "ST_GeomFromText('%s', %d)"
                      .formatted(geometry[1], mysql ? 3857 : any.nextInt(5000))));
    }
  }

  private static void labels(List<ValueKind> kinds) {
    kinds.add(new ValueKind("ENUM('a', 'b', '', 'it''s')", any -> "" + (1 + any.nextInt(4))));
    kinds.add(new ValueKind("ENUM('compressed', ' unsigned')", any -> "" + (1 + any.nextInt(2))));
    kinds.add(new ValueKind("SET('a', 'ß', 'c') CHARACTER SET latin1", any -> "" + any.nextInt(8)));
    kinds.add(
        new ValueKind(
            "ENUM(" + labels(300) + ") CHARACTER SET ucs2", any -> "" + (1 + any.nextInt(300))));
    kinds.add(new ValueKind("SET(" + labels(64) + ")", any -> integer(any, 64, false)));
  }

  private static String labels(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "'l" + i + "ä'")
        .collect(Collectors.joining(", "));
  }

  private static String integer(Random random, int bits, boolean signed) {
    long value =
        random.nextInt(4) == 0 ? -random.nextInt(2) : random.nextLong() >> random.nextInt(64);
    if (signed && random.nextInt(8) == 0) {
      return Long.toString(pick(random, Long.MIN_VALUE, Long.MAX_VALUE) >> 64 - bits);
    }
    if (signed) {
      return Long.toString(value << 64 - bits >> 64 - bits);
    }
    return Long.toUnsignedString(value << 64 - bits >>> 64 - bits);
  }

  private static String decimal(Random random, int whole, int scale) {
    StringBuilder text = new StringBuilder(random.nextBoolean() ? "-" : "").append('0');
    for (int i = random.nextInt(whole + 1); i > 0; i--) {
      text.append(random.nextInt(10));
    }
    if (scale > 0) {
      text.append('.');
      for (int i = 1 + random.nextInt(scale); i > 0; i--) {
        text.append(random.nextInt(10));
      }
    }
    return text.toString();
  }

  private static float power(Random random, int largest) {
    return (float) Math.pow(10, random.nextInt(Math.min(2 * largest, 70)) - Math.min(largest, 35));
  }

  private static String date(Random random) {
    if (random.nextInt(16) == 0) {
      return pick(random, "'0001-01-01'", "'9999-12-31'");
    }
    return "'%04d-%02d-%02d'"
        .formatted(
            pick(random, 1, 1000, 1969, 1970, 2024, 9999),
            1 + random.nextInt(12),
            1 + random.nextInt(28));
  }

  private static String datetime(Random random, int fraction) {
    String date = date(random);
    return date.substring(0, date.length() - 1)
        + " "
        + clock(random.nextInt(24), random, fraction)
        + "'";
  }

  private static String timestamp(Random random, int fraction) {
    return "'%04d-%02d-%02d %s'"
        .formatted(
            pick(random, 1971, 2000, 2024, 2037),
            1 + random.nextInt(12),
            1 + random.nextInt(28),
            clock(random.nextInt(24), random, fraction));
  }

  private static String time(Random random, int fraction) {
    if (random.nextInt(12) == 0) {
      return pick(random, "'838:59:59'", "'-838:59:59'", "'00:00:00'");
    }
    return "'" + pick(random, "", "-") + clock(random.nextInt(838), random, fraction) + "'";
  }

  private static String clock(int hours, Random random, int fraction) {
    String clock = "%02d:%02d:%02d".formatted(hours, random.nextInt(60), random.nextInt(60));
    return fraction == 0
        ? clock
        : clock + "." + ("%06d".formatted(random.nextInt(1_000_000))).substring(0, fraction);
  }

  private static String text(Random random, int longest, String alphabet) {
    int[] characters = alphabet.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(longest + 1); i > 0; i--) {
      int c = characters[random.nextInt(characters.length)];
      text.append(c == '\'' ? "''" : c == '\\' ? "\\\\" : Character.toString(c));
    }
    return "'" + text + "'";
  }

  private static String bytes(Random random, int longest) {
    byte[] bytes = new byte[random.nextInt(longest + 1)];
    random.nextBytes(bytes);
    for (int i = bytes.length - random.nextInt(3); i >= 0 && i < bytes.length; i++) {
      bytes[i] = 0;
    }
    StringBuilder hex = new StringBuilder();
    for (byte each : bytes) {
      hex.append("%02x".formatted(each));
    }
    return "x'" + hex + "'";
  }

  private static String uuid(Random random) {
    StringBuilder hex = new StringBuilder();
    for (int i = 0; i < 32; i++) {
      hex.append(Integer.toHexString(random.nextInt(16)));
    }
    // The server has no versions above 7.
    hex.setCharAt(12, Character.forDigit(random.nextInt(8), 16));
    return "'" + hex + "'";
  }

  private static String inet6(Random random) {
    if (random.nextInt(4) == 0) {
      return pick(random, "'::'", "'::1'", "'::ffff:1.2.3.4'", "'1::'", "'::2:3'");
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      text.append(i == 0 ? "" : ":");
      text.append(random.nextInt(2) == 0 ? "0" : Integer.toHexString(random.nextInt(0x10000)));
    }
    return "'" + text + "'";
  }

  @SafeVarargs
  private static <T> T pick(Random random, T... values) {
    return values[random.nextInt(values.length)];
  }
}
