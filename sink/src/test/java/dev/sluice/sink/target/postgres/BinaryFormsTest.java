package dev.sluice.sink.target.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.NoBinaryForm;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Which texts have a binary form, and that it means to the server what the text means. */
class BinaryFormsTest {
  private static final int CHANGED_TEXTS = 150;

  /** Texts at the edges of each type, many of them wrong. */
  private static final Map<String, List<String>> TEXTS = new LinkedHashMap<>();

  private static final List<String> DATES =
      List.of(
          "2000-01-01",
          "0001-12-31 BC",
          "5874897-12-31",
          "5874898-01-01",
          "5881610-07-10",
          "5881610-07-11",
          "5881611-01-01",
          "9999999-12-31",
          "4714-11-24 BC",
          "4714-11-23 BC",
          "5877641-06-23 BC",
          "5877642-06-23 BC",
          "0000-01-01",
          "1900-02-29",
          "002026-01-02",
          "infinity",
          "-infinity",
          "epoch",
          "20000101",
          "2000-1-1",
          "2000-00-10");

  private static final List<String> TIMES =
      List.of(
          "00:00:00",
          "24:00:00",
          "23:59:60",
          "23:59:59.999999",
          "23:59:59.9999999",
          "20:15",
          "20:15.5",
          "20:15.",
          "12:34:56.12345600000",
          "12:34:56.0000005",
          "12:34:56,5",
          "1:2:3",
          "12:34:56+05");

  static {
    List<String> integers =
        List.of(
            "0",
            "-0",
            "+0",
            "00007",
            "32768",
            "-2147483648",
            "2147483648",
            "-9223372036854775808",
            "9223372036854775808",
            "99999999999999999999",
            "1e3",
            "1.0",
            " 5",
            "-",
            "");
    List<String> numerics =
        List.of(
            "-0.00",
            "1e3",
            "0E-10",
            "0E+5",
            "-1.25E+3",
            "NaN",
            "-NaN",
            "-Infinity",
            "inf",
            "1.",
            "-.5",
            "1e",
            "1_0",
            "0x10",
            "9999.9999",
            "0.00010000",
            "-10000.0000",
            "999.995",
            "1e10999",
            "1e-10990",
            "1e131072",
            "1e-16390",
            "1e999999999",
            "1e2147483647",
            "1e2147483648",
            "0e99999",
            "0e-99999",
            "12345678901234567890123456789.5",
            ".5e3");
    List<String> floats =
        List.of(
            "-0",
            "-0.0",
            "0e999999",
            "1e400",
            "1e-400",
            "1e39",
            "3.4028235e38",
            "3.4028236e38",
            "7e-46",
            "4.9E-324",
            "1.7976931348623159e308",
            "NaN",
            "Infinity",
            "+Infinity",
            "inf",
            "+1",
            ".5",
            "1d",
            "0x1p3",
            "16777217.0000001",
            "9007199254740993",
            "");
    List<String> texts = List.of("", "a  ", "abc", "abcde     ", "ab\0c", "é", "😀", "\\N", "\\.");
    TEXTS.put("date", DATES);
    TEXTS.put("time", TIMES);
    TEXTS.put("time(2)", TIMES);
    TEXTS.put("timestamp", timestamps("", "T", " "));
    TEXTS.put("timestamp(3)", timestamps("", "T", " "));
    TEXTS.put("timestamptz", timestamps("+00", "T", " "));
    TEXTS.put("timestamptz(0)", timestamps("-15:59:59", " "));
    TEXTS.put("int2", integers);
    TEXTS.put("int4", integers);
    TEXTS.put("int8", integers);
    TEXTS.put("numeric", numerics);
    TEXTS.put("numeric(7,2)", numerics);
    TEXTS.put("float4", floats);
    TEXTS.put("float8", floats);
    TEXTS.put("bool", List.of("t", "f", "true", "false", "T", "1", "on", ""));
    TEXTS.put("uuid", List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc999c0b4ef8"));
    TEXTS.put("bytea", List.of("", "\\x", "\\x0", "\\x00ff", "\\xAB cd", "\\xzz", "abc", "\\X41"));
    TEXTS.put("text", texts);
    TEXTS.put("varchar(3)", texts);
    TEXTS.put("char(3)", texts);
  }

  private static List<String> timestamps(String offset, String... separators) {
    List<String> timestamps = new ArrayList<>();
    for (String date : DATES) {
      for (String time : List.of("00:00:00", "23:59:59.999999", "24:00:00", "20:15.5", "20:15")) {
        for (String separator : separators) {
          boolean before = date.endsWith(" BC");
          String day = before ? date.substring(0, date.length() - 3) : date;
          timestamps.add(day + separator + time + offset + (before ? " BC" : ""));
        }
      }
    }
    return timestamps;
  }

  private static String changed(String text, Random random) {
    String characters = "0123459:-.+ TZBCeE\\xatf";
    StringBuilder changed = new StringBuilder(text);
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      char character = characters.charAt(random.nextInt(characters.length()));
      int at = changed.isEmpty() ? 0 : random.nextInt(changed.length());
      if (changed.isEmpty() || random.nextBoolean()) {
        changed.insert(at, character);
      } else if (random.nextBoolean()) {
        changed.deleteCharAt(at);
      } else {
        changed.setCharAt(at, character);
      }
    }
    return changed.toString();
  }

  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "OLDER"})
  void whatHasABinaryFormEndsAsItsTextDoes(PostgresVersion version) throws SQLException {
    Random random = new Random(7);
    List<String> differing = new ArrayList<>();
    try (TargetLab lab = TargetLab.on(version);
        Connection session = lab.postgres.connect(lab.database)) {
      new PostgresSessions().prepare(session);
      session.setAutoCommit(false);
      for (Map.Entry<String, List<String>> each : TEXTS.entrySet()) {
        String type = each.getKey();
        BinaryForm form = BinaryForm.of(create(session, type)).orElseThrow();
        List<String> texts = new ArrayList<>(each.getValue());
        for (int i = 0; i < CHANGED_TEXTS; i++) {
          texts.add(changed(each.getValue().get(random.nextInt(each.getValue().size())), random));
        }
        int inBinary = 0;
        for (String text : texts) {
          Optional<String> binary = binary(session, form, text);
          if (binary.isPresent()) {
            inBinary++;
            String expected = stored(session, new CopyRowWriter(copy(session, "")), text);
            if (!binary.get().equals(expected)) {
              differing.add("%s '%s': %s, %s".formatted(type, text, expected, binary.get()));
            }
          }
        }
        assertThat(inBinary).as(type).isPositive();
      }
    }
    assertThat(differing).as("type and text: what it is as text, and in binary").isEmpty();
  }

  /** Creates a table with one column; returns the object id of its type. */
  private static long create(Connection session, String type) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS pg_temp.one");
      statement.execute("CREATE TEMP TABLE one (v " + type + ")");
      session.commit();
      try (ResultSet row =
          statement.executeQuery(
              "SELECT atttypid::int8 FROM pg_attribute"
                  + " WHERE attrelid = 'pg_temp.one'::regclass AND attname = 'v'")) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static CopyIn copy(Connection session, String options) throws SQLException {
    return session
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn("COPY pg_temp.one FROM STDIN" + options);
  }

  /** What is stored if the value is sent in binary; empty if it has no binary form. */
  private static Optional<String> binary(Connection session, BinaryForm form, String text)
      throws SQLException {
    CopyIn copy = copy(session, " (FORMAT binary)");
    try {
      return Optional.of(
          stored(session, new BinaryCopyWriter(copy, List.of(form), () -> {}), text));
    } catch (NoBinaryForm e) {
      return Optional.empty();
    }
  }

  /** What the table has afterwards, or the SQLSTATE of the refusal. */
  private static String stored(Connection session, BulkLoad.Stream opened, String text)
      throws SQLException {
    try (BulkLoad.Stream stream = opened) {
      ValueCursor cursor = RowBuilder.rowOf(text).cursor();
      cursor.next();
      stream.value(cursor);
      stream.endRow();
      stream.end();
      try (Statement statement = session.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT v::text || '|' || octet_length(v::text) FROM pg_temp.one")) {
        row.next();
        return row.getString(1);
      }
    } catch (SQLException e) {
      return e.getSQLState();
    } finally {
      session.rollback();
    }
  }

  private static void write(BinaryForm form, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    BinaryOutput out = new BinaryOutput(64);
    out.ensure(form.longest(bytes.length));
    form.write(bytes, 0, bytes.length, out);
  }

  @ParameterizedTest
  @CsvSource({
    "DATE, 5881610-07-11",
    "DATE, 5881611-01-01",
    "DATE, 5877642-06-23 BC",
    "TIME, 20:15.5",
    "TIMESTAMP, 2026-11-26 20:15.5",
    "TIMESTAMPTZ, 2026-11-26T20:15.5Z",
    "NUMERIC, Infinity",
    "NUMERIC, -Infinity",
    "NUMERIC, 1e2147483648",
    "NUMERIC, 1e-2147483647"
  })
  void theseHaveNoBinaryForm(BinaryForm form, String text) {
    assertThatThrownBy(() -> write(form, text)).isInstanceOf(NoBinaryForm.class);
  }

  @Test
  void aNumberOfTooManyCharactersIsNotParsed() {
    String text = "0".repeat(12_000) + "1e1";
    assertThatThrownBy(() -> write(BinaryForm.NUMERIC, text)).isInstanceOf(NoBinaryForm.class);
  }

  @Test
  void anyBytesHaveABinaryFormOrNone() {
    Random random = new Random(8);
    for (BinaryForm form : BinaryForm.values()) {
      for (int i = 0; i < 20_000 && form != BinaryForm.VARBIT; i++) {
        byte[] bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        BinaryOutput out = new BinaryOutput(64);
        out.ensure(form.longest(bytes.length));
        try {
          form.write(bytes, 0, bytes.length, out);
        } catch (NoBinaryForm e) {
          continue;
        }
        assertThat(out.size()).isLessThanOrEqualTo(form.longest(bytes.length));
      }
    }
  }
}
