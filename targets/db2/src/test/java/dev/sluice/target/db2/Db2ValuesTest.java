package dev.sluice.target.db2;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of each type arrive as they are, or are refused. */
class Db2ValuesTest {
  private static final RowSchema KINDS =
      schema(
          "kinds",
          "*id int",
          "small smallint",
          "whole bigint",
          "exact numeric",
          "wide double precision",
          "narrow real",
          "fixed character",
          "word text",
          "bytes bytea",
          "day date",
          "clock time",
          "moment timestamp",
          "truth boolean");

  private final TimeZone before = TimeZone.getDefault();
  private TargetLab lab;
  private BatchApplier applier;

  /**
   * In a zone that lacks the hour from 2 to 3 of that night, and some minutes of earlier centuries.
   */
  @BeforeEach
  void open() throws SQLException {
    TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    lab = Db2Lab.open();
    lab.run(
        "CREATE TABLE dst.kinds (id INTEGER NOT NULL PRIMARY KEY, small SMALLINT, whole BIGINT,"
            + " exact DECIMAL(10, 2), wide DOUBLE, narrow REAL, fixed CHAR(3), word VARCHAR(5),"
            + " bytes VARCHAR(4) FOR BIT DATA, day DATE, clock TIME, moment TIMESTAMP,"
            + " truth BOOLEAN)");
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    TimeZone.setDefault(before);
    applier.close();
    lab.close();
  }

  private static final String[] VALUES = {
    "1",
    "-32768",
    "9223372036854775807",
    "-12345678.90",
    "1e+300",
    "0.1",
    "a  ",
    "é ",
    "\\x00ff20",
    "0001-01-01",
    "23:59:59",
    "2026-03-29 02:30:00.123456",
    "t"
  };

  private static String[] with(int column, String value) {
    String[] values = VALUES.clone();
    values[column] = value;
    return values;
  }

  @Test
  void eachValueArrivesAsItIsBothAsASetAndInOrder() throws SQLException {
    String[] nulls = new String[VALUES.length];
    nulls[0] = "2";
    lab.apply(applier, lab.window(net(keyed(KINDS, insert(row(VALUES)), insert(row(nulls))))));
    RowChange third = new RowChange(KINDS, null, row(with(0, "3")));
    applier.apply(lab.window(new Round.Ordered(List.of(), List.of(third))));
    List<String> rows =
        lab.rows(
            "SELECT small, whole, exact, wide, narrow, fixed, word, LENGTH(word), bytes,"
                + " CAST(day AS CHAR(10)), CAST(clock AS CHAR(8)), CAST(moment AS CHAR(26)), truth"
                + " FROM dst.kinds ORDER BY id");
    String kept =
        "-32768|9223372036854775807|-12345678.90|1.0E300|0.1|a  |é |2|00ff20|0001-01-01|23:59:59|"
            + "2026-03-29 02:30:00.123456|1";
    assertThat(rows)
        .containsExactly(
            kept, "null|null|null|null|null|null|null|null|null|null|null|null|null", kept);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "1, 32768",
        "1, 1.5",
        "3, 1.234",
        "3, 123456789",
        "3, NaN",
        "4, Infinity",
        "4, 1e400",
        "6, `b `",
        "7, `abcdef`",
        "7, `abcde  `",
        "8, \\x0102030405",
        "8, 01",
        "9, infinity",
        "9, 0044-03-15 BC",
        "10, 12:00:00.5",
        "11, 2026-01-01 00:00:00+01",
        "11, -infinity",
        "12, yes"
      })
  void aValueThatAColumnWouldChangeIsRefused(int column, String value) throws SQLException {
    assertThatThrownBy(
            () -> applier.apply(lab.window(net(keyed(KINDS, insert(row(with(column, value))))))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("does not take the value '" + value + "'");
    assertThat(lab.rows("SELECT id FROM dst.kinds")).isEmpty();
  }
}
