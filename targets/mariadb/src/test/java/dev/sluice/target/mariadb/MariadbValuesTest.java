package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values in PostgreSQL's text, as rows of a set and as parameters of statements in order. */
@TestInstance(Lifecycle.PER_CLASS)
class MariadbValuesTest {
  /** Types that MySQL does not have, or takes no value of a source in. */
  static final Set<String> ONLY_MARIADBS = Set.of("uuid", "inet6", "json");

  private TargetLab lab;

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @BeforeAll
  void open() throws SQLException {
    lab = MariadbLab.open(kind());
  }

  @AfterAll
  void close() throws SQLException {
    lab.close();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "tinyint(1); t; 1",
        "tinyint(1); f; 0",
        "bigint; -9223372036854775808; -9223372036854775808",
        "bigint unsigned; 18446744073709551615; 18446744073709551615",
        "decimal(20,4); -1234567890123456.7890; -1234567890123456.7890",
        "decimal(5,1); 1.5000; 1.5",
        "float; 0.1; 0.1",
        "double; 1.7976931348623157e+308; 1.7976931348623157e308",
        "date; 0001-01-01; 0001-01-01",
        "datetime(6); 9999-12-31 23:59:59.999999; 9999-12-31 23:59:59.999999",
        "datetime; 2024-02-29 12:00:00+00; 2024-02-29 12:00:00",
        "timestamp(3); 2024-02-29 12:00:00.120+00; 2024-02-29 12:00:00.120",
        "time(6); -838:59:58.999999; -838:59:58.999999",
        "time; 24:00:00; 24:00:00",
        "year; 0; 0000",
        "year; 1999; 1999",
        "varchar(3); é😀x; é😀x",
        "char(4); ab; ab",
        "char(4); ~ab  ~; ab",
        "varchar(5) CHARACTER SET latin1; é; é",
        "longtext; t; t",
        "json; ~{\"a\": [1, null]}~; ~{\"a\": [1, null]}~",
        "enum('1','a''b'); a'b; a'b",
        "set('x','y'); x,y; x,y",
        "uuid; 123e4567-e89b-12d3-a456-426614174000; 123e4567-e89b-12d3-a456-426614174000",
        "inet6; ::1; ::1",
      })
  void arrivesAsItIs(String type, String value, String expected) throws SQLException {
    assertThat(stored(type, "CAST(v AS CHAR)", value, false)).isEqualTo(expected);
    assertThat(stored(type, "CAST(v AS CHAR)", value, true)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      value = {
        "blob; \\x; ''",
        "blob; \\x005c0a090d27ff; 005C0A090D27FF",
        "varbinary(3); \\x610020; 610020",
        "binary(2); \\x6100; 6100",
        "bit(10); 1000000001; 201",
        "bit(1); t; 1",
        "bit(64); 1111111111111111111111111111111111111111111111111111111111111111; FFFFFFFFFFFFFFFF",
      })
  void bytesAndBitsArrive(String type, String value, String hex) throws SQLException {
    assertThat(stored(type, "HEX(v)", value, false)).isEqualTo(hex);
    assertThat(stored(type, "HEX(v)", value, true)).isEqualTo(hex);
  }

  /** The server would cut, round, guess or fill most of these without an error. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "int; 1.5",
        "int; 2147483648",
        "int; ~~",
        "tinyint unsigned; -1",
        "decimal(5,1); 1.55",
        "decimal(5,1); NaN",
        "decimal(5,1); 123456",
        "double; Infinity",
        "double; NaN",
        "date; infinity",
        "date; 0044-03-15 BC",
        "date; 10000-01-01",
        "date; 2024-01-01 12:00:00",
        "datetime; 2024-01-01 00:00:00.5",
        "datetime(3); -infinity",
        "timestamp; 2024-01-01 00:00:00",
        "timestamp; 1960-01-01 00:00:00+00",
        "time; 1 day 02:00:00",
        "time; 900:00:00",
        "time; 0100:00:00",
        "time; 1:00:00",
        "date; 2024-1-01",
        "datetime; 2024-01-01 00:00:00.",
        "datetime; 2024-01-01 00:00:00+05",
        "timestamp; 2024-01-01 00:00:00+05",
        "year; 70",
        "year; 1900",
        "varchar(2); ~a  ~",
        "varchar(2); abc",
        "char(4); ~ab ~",
        "varchar(5) CHARACTER SET latin1; 😀",
        "tinytext; ~%s~",
        "enum('b','a'); 1",
        "enum('a'); A",
        "set('x','y'); x,z",
        "blob; abc",
        "binary(3); \\x61",
        "varbinary(1); \\x6162",
        "bit(3); 11",
        "json; {",
        "uuid; no",
      })
  void aValueThatTheColumnWouldChangeIsAnErrorOfItsData(String type, String value)
      throws SQLException {
    String refused = value.equals("%s") ? "x".repeat(256) : value;
    assumeTrue(kind() == ServerKind.MARIADB || !ONLY_MARIADBS.contains(type));
    for (boolean ordered : List.of(false, true)) {
      assertThatThrownBy(() -> stored(type, "v", refused, ordered))
          .isInstanceOf(SluiceException.Data.class);
      assertThat(lab.rows("SELECT * FROM dst.t")).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void anEmptyTextAndNullStayDifferent(boolean ordered) throws SQLException {
    assertThat(stored("longtext", "v", "", ordered)).isEmpty();
    assertThat(stored("longtext", "v", null, ordered)).isEqualTo("null");
  }

  /** Larger than a part of a load, and than a packet of the protocol. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void largeValuesArrive(boolean ordered) throws SQLException {
    int length = 20 * 1024 * 1024;
    assertThat(stored("longtext", "LENGTH(v)", "x\t".repeat(length / 2), ordered))
        .isEqualTo("" + length);
    assertThat(stored("longblob", "LENGTH(v)", "\\x" + "00".repeat(length), ordered))
        .isEqualTo("" + length);
  }

  private String stored(String type, String read, String value, boolean ordered)
      throws SQLException {
    assumeTrue(kind() == ServerKind.MARIADB || !ONLY_MARIADBS.contains(type));
    lab.run(
        "DROP TABLE IF EXISTS dst.t",
        "CREATE TABLE dst.t (id int PRIMARY KEY, v " + type + " NULL)");
    RowSchema schema = schema("t", "*id integer", "v text");
    Round round =
        ordered
            ? new Round.Ordered(List.of(), List.of(new RowChange(schema, null, row("1", value))))
            : net(keyed(schema, insert(row("1", value))));
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(round));
    }
    return lab.rows("SELECT " + read + " FROM dst.t").get(0);
  }
}
