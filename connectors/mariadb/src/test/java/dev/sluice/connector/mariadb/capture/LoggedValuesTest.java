package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import dev.sluice.connector.mariadb.type.PostgresType;
import dev.sluice.connector.mariadb.type.SelectedValue;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * The text of each value in the journal is the one that PostgreSQL prints for what the server says
 * of the value when it is selected as a load selects it.
 */
class LoggedValuesTest {
  private static final int ROWS = 60;

  private static EmbeddedPostgres postgres;

  /** A type and literals of random values of it. */
  private record Kind(String type, Function<Random, String> literal) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("TINYINT", random -> integer(random, 8, true)),
          new Kind("TINYINT UNSIGNED", random -> integer(random, 8, false)),
          new Kind("SMALLINT", random -> integer(random, 16, true)),
          new Kind("SMALLINT UNSIGNED", random -> integer(random, 16, false)),
          new Kind("MEDIUMINT", random -> integer(random, 24, true)),
          new Kind("MEDIUMINT UNSIGNED", random -> integer(random, 24, false)),
          new Kind("INT", random -> integer(random, 32, true)),
          new Kind("INT UNSIGNED ZEROFILL", random -> integer(random, 32, false)),
          new Kind("BIGINT", random -> integer(random, 64, true)),
          new Kind("BIGINT UNSIGNED", random -> integer(random, 64, false)),
          new Kind("YEAR", random -> pick(random, "0", "1901", "2155", "2026")),
          new Kind("DECIMAL(65,30)", random -> decimal(random, 35, 30)),
          new Kind("DECIMAL(10,0)", random -> decimal(random, 10, 0)),
          new Kind("DECIMAL(9,9)", random -> decimal(random, 0, 9)),
          new Kind("DECIMAL(20,3) UNSIGNED", random -> decimal(random, 17, 3).replace("-", "")),
          new Kind("FLOAT", random -> Float.toString(random.nextFloat() * power(random, 30))),
          new Kind("DOUBLE", random -> Double.toString(random.nextGaussian() * power(random, 200))),
          new Kind("DOUBLE", random -> Integer.toString(random.nextInt(100_000_000))),
          // Exactly between two numbers of 17 digits.
          new Kind("DOUBLE", random -> (1_000_000_000_000_000L + random.nextInt()) + ".25"),
          new Kind("BIT(1)", random -> "b'" + random.nextInt(2) + "'"),
          new Kind("BIT(13)", random -> Integer.toString(random.nextInt(8192))),
          new Kind("BIT(64)", random -> integer(random, 64, false)),
          new Kind("DATE", LoggedValuesTest::date),
          new Kind("DATETIME", random -> datetime(random, 0)),
          new Kind("DATETIME(1)", random -> datetime(random, 1)),
          new Kind("DATETIME(3)", random -> datetime(random, 3)),
          new Kind("DATETIME(6)", random -> datetime(random, 6)),
          new Kind("TIMESTAMP NULL", random -> timestamp(random, 0)),
          new Kind("TIMESTAMP(2) NULL", random -> timestamp(random, 2)),
          new Kind("TIMESTAMP(6) NULL", random -> timestamp(random, 6)),
          new Kind("TIME", random -> time(random, 0)),
          new Kind("TIME(1)", random -> time(random, 1)),
          new Kind("TIME(4)", random -> time(random, 4)),
          new Kind("TIME(5)", random -> time(random, 5)),
          new Kind("CHAR(10)", random -> text(random, 10, "aä€𝄞 '\\\\")),
          new Kind("VARCHAR(100)", random -> text(random, 100, "aä€𝄞 '\\\\\t\n")),
          new Kind("VARCHAR(100) CHARACTER SET latin1", random -> text(random, 100, "aäß€…")),
          new Kind("VARCHAR(100) CHARACTER SET utf8mb3", random -> text(random, 100, "aä€")),
          new Kind("CHAR(60) CHARACTER SET gbk", random -> text(random, 60, "a你好")),
          new Kind("VARCHAR(300) CHARACTER SET ucs2", random -> text(random, 300, "aä€")),
          new Kind("TEXT CHARACTER SET utf16", random -> text(random, 100, "aä€𝄞")),
          new Kind("TINYTEXT", random -> text(random, 20, "aä€")),
          new Kind("MEDIUMTEXT", random -> text(random, 1000, "aä€")),
          new Kind("LONGTEXT", random -> text(random, 1000, "aä€")),
          new Kind(
              "JSON", random -> "'{\"a\": [1, \"ä" + random.nextInt(9) + "\"], \"b\" : null}'"),
          new Kind("BINARY(8)", random -> bytes(random, 8)),
          new Kind("VARBINARY(300)", random -> bytes(random, 300)),
          new Kind("BLOB", random -> bytes(random, 300)),
          new Kind("LONGBLOB", random -> bytes(random, 300)),
          new Kind(
              "ENUM('a', 'b', '', 'it''s')", random -> Integer.toString(1 + random.nextInt(4))),
          new Kind("SET('a', 'ß', 'c') CHARACTER SET latin1", random -> "" + random.nextInt(8)),
          new Kind("POINT", random -> "POINT(%d, 1.5)".formatted(random.nextInt())),
          new Kind("GEOMETRY", random -> "ST_GeomFromText('LINESTRING(0 0, 1 1, 2 3)', 4326)"),
          new Kind("UUID", LoggedValuesTest::uuid),
          new Kind(
              "INET4", random -> "'%d.0.%d.1'".formatted(random.nextInt(256), random.nextInt(256))),
          new Kind("INET6", LoggedValuesTest::inet6));

  @BeforeContainer
  static void start() {
    if (EmbeddedMariadb.isAvailable()) {
      postgres = EmbeddedPostgres.start();
    }
  }

  @AfterContainer
  static void stop() {
    if (postgres != null) {
      postgres.close();
    }
  }

  @Property(tries = 3, shrinking = ShrinkingMode.OFF)
  void aValueHasTheTextThatPostgresPrintsForIt(@ForAll long seed) throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    Random random = new Random(seed);
    try (LogFixture fixture =
        new LogFixture("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'")) {
      StringBuilder columns = new StringBuilder();
      for (int i = 0; i < KINDS.size(); i++) {
        columns.append(", v").append(i).append(' ').append(KINDS.get(i).type());
      }
      fixture.execute("CREATE TABLE t (id INT PRIMARY KEY" + columns + ")").capturing();
      List<List<String>> logged = new ArrayList<>();
      try (JournalReader reader = fixture.reader()) {
        for (int row = 0; row < ROWS; row++) {
          StringBuilder values = new StringBuilder();
          for (Kind kind : KINDS) {
            values
                .append(", ")
                .append(random.nextInt(20) == 0 ? "NULL" : kind.literal().apply(random));
          }
          fixture.execute("INSERT INTO t VALUES (" + row + values + ")");
        }
        reader
            .read(ROWS)
            .forEach(
                read -> {
                  RowChange change = (RowChange) read.changes().get(0);
                  List<String> texts = new ArrayList<>();
                  for (int i = 0; i < KINDS.size(); i++) {
                    texts.add(change.row().text(i + 1));
                  }
                  logged.add(texts);
                });
      }
      List<String> wrong = new ArrayList<>();
      for (int i = 0; i < KINDS.size(); i++) {
        int column = i;
        DeclaredColumn declared = fixture.declared("t", "v" + i);
        List<String> selected =
            fixture.values(
                "SELECT " + SelectedValue.of(declared, "`v" + i + "`") + " FROM t ORDER BY id");
        List<String> texts = logged.stream().map(row -> row.get(column)).toList();
        List<String> expected = printed(selected, PostgresType.of(declared));
        for (int row = 0; row < ROWS; row++) {
          if (!Objects.equals(texts.get(row), expected.get(row))) {
            wrong.add(
                "%s: %s, expected %s"
                    .formatted(KINDS.get(i).type(), texts.get(row), expected.get(row)));
          }
        }
      }
      assertThat(wrong).as("seed %d", seed).isEmpty();
    }
  }

  /** The texts that PostgreSQL prints when it is given the server's. */
  private static List<String> printed(List<String> values, String type) throws SQLException {
    try (Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET TimeZone TO 'UTC'");
      List<String> printed = new ArrayList<>();
      try (PreparedStatement query =
          connection.prepareStatement("SELECT format('%s', CAST(?::text AS " + type + "))")) {
        for (String value : values) {
          query.setString(1, value);
          try (ResultSet row = query.executeQuery()) {
            row.next();
            printed.add(value == null ? null : row.getString(1));
          }
        }
      }
      return printed;
    }
  }

  private static String integer(Random random, int bits, boolean signed) {
    long value =
        random.nextInt(4) == 0 ? -random.nextInt(2) : random.nextLong() >> random.nextInt(64);
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
