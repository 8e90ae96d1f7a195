package dev.sluice.target.mariadb.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.comparison.printed.PrintedColumn;
import dev.sluice.connector.comparison.printed.TypeReading;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.value.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a column has is printed for the source's type, and never less than what it has. */
class ColumnReadingTest {

  @ParameterizedTest(name = "{0} as {1}: {2}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "decimal(12,4); numeric(10,2); 5.0000; 5.00",
        "decimal(12,4); numeric(10,2); 5.0010; 5.0010",
        "decimal(10,1); numeric(10,2); 1.0; 1.00",
        "decimal(22,2); bigint; -20.00; -20",
        "decimal(22,2); bigint; -20.01; -20.01",
        "decimal(22,0); numeric(5,-2); 500; 500",
        "int; numeric(10,2); 5; 5.00",
        "int; integer; 5; 5",
        "tinyint(1); boolean; 1; t",
        "tinyint(1); boolean; 2; 2",
        "bit(1); boolean; 0; f",
        "bit(4); bit(4); 0101; 0101",
        "double; real; 0.1; 0.1",
        "double; real; 1e10; 1e+10",
        "double; real; 0.10000000149011612; 0.10000000149011612",
        "double; double precision; 1e10; 10000000000",
        "float; real; 0.10000000149011612; 0.1",
        "char(5); character(7); abcde; ~abcde  ~",
        "char(5); character(3); abcde; abcde",
        "char(5); character varying(9); abc; abc",
        "varchar(9); character(7); abc; abc",
        "longtext; integer[]; {1}; {1}",
        "longtext; shop.color; red; red",
        "datetime; timestamp(6) without time zone; 2020-01-01 10:00:00; 2020-01-01 10:00:00",
        "datetime(6); timestamp(0) with time zone; 2020-01-01 10:00:00.500000; 2020-01-01 10:00:00.5+00",
        "time(6); interval(3); 01:02:03.500000; 01:02:03.5"
      })
  void aValueIsPrintedForTheSourcesType(
      String column, String source, String selected, String expected) {
    assertThat(
            printed(column, source).orElseThrow().text(selected.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} as {1}")
  @CsvSource(
      delimiter = ';',
      value = {
        "decimal(10,1); numeric",
        "int; numeric",
        "int; text",
        "float; double precision",
        "double; integer",
        "date; timestamp(6) without time zone",
        "timestamp; timestamp without time zone",
        "time(6); interval day to second",
        "bit(4); bit(8)",
        "bit(4); bit varying(4)",
        "longblob; text",
        "uuid; text",
        "enum('a'); text"
      })
  void aTypeWhoseValuesTheColumnCannotHaveIsNotCompared(String column, String source) {
    assertThat(printed(column, source)).isEmpty();
  }

  /** Otherwise ranges of keys would be different rows on the two sides. */
  @ParameterizedTest
  @CsvSource({
    "utf8mb4_nopad_bin, text bytes of UTF8",
    "utf8mb4_0900_bin, text bytes of UTF8",
    "utf8mb4_bin,",
    "utf8mb4_0900_ai_ci,"
  })
  void onlyTextsInTheOrderOfTheirBytesAreReadInRanges(String collation, String order) {
    assertThat(ColumnReading.of(column("varchar(9)", collation)).get(0).order())
        .isEqualTo(Optional.ofNullable(order));
  }

  private static Optional<PrintedColumn> printed(String type, String source) {
    return TypeReading.printed(ColumnReading.of(column(type, "utf8mb4_nopad_bin")), source);
  }

  private static TargetColumn column(String type, String collation) {
    boolean text = type.matches("(char|varchar|longtext).*");
    String stored = ColumnType.stored(type, text ? "utf8mb4" : null, text ? collation : null);
    return new TargetColumn(
        "c",
        1,
        type,
        false,
        stored,
        type.replaceFirst("\\(.*", ""),
        ',',
        "=",
        true,
        false,
        false,
        false,
        false,
        false);
  }
}
