package dev.sluice.target.mariadb;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static dev.sluice.sink.apply.TargetLab.toasted;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys of all types, and tables whose unique values or rows are unusual. */
class TableShapesTest {
  private TargetLab lab;

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @BeforeEach
  void open() throws SQLException {
    lab = MariadbLab.open(kind());
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "tinyint(1); t; f; 2; 3",
        "bigint unsigned; 18446744073709551614; 18446744073709551615; 0; 1",
        "decimal(10,2); -1.10; 0.00; 1.10; 99999999.99",
        "double; 0.1; 1e-300; -5; 3.5e+20",
        "date; 0001-01-01; 2024-02-29; 9999-12-31; 2000-01-01",
        "datetime(6); 2024-01-01 00:00:00; 2024-01-01 00:00:00.000001; 2024-01-01 00:00:01; 2024-01-02 00:00:00",
        "timestamp(6); 2024-01-01 00:00:00+00; 2024-01-01 00:00:00.000001+00; 2024-01-01 00:00:01+00; 2024-01-02 00:00:00+00",
        "time(6); -00:00:01; 00:00:00; 24:00:00; 00:00:00.5",
        "year; 0; 1901; 2155; 2000",
        "varchar(300) COLLATE utf8mb4_bin; a; A; ä; 😀",
        "char(3) COLLATE utf8mb4_bin; a; A; abc; ~~",
        "char(4) COLLATE utf8mb4_bin; ~a   ~; ~A   ~; ~ä b ~; ~    ~",
        "char(4) CHARACTER SET latin1 COLLATE latin1_bin; ~é   ~; ~E   ~; abcd; ~    ~",
        "varchar(20) CHARACTER SET latin1 COLLATE latin1_bin; a; A; é; ~~",
        "varbinary(4); \\x; \\x00; \\x0000; \\x61",
        "binary(2); \\x6100; \\x6120; \\x4100; \\xffff",
        "bit(8); 00000000; 00000001; 11111111; 10000000",
        "enum('a','b','A','2') COLLATE utf8mb4_bin; a; A; 2; b",
        "uuid; 00000000-0000-0000-0000-000000000000; 123e4567-e89b-12d3-a456-426614174000; ffffffff-ffff-ffff-ffff-ffffffffffff; 123e4567-e89b-12d3-a456-426614174001",
        "inet6; ::; ::1; fe80::1; ::ffff:1.2.3.4",
      })
  void aRowIsFoundByAKeyOfAnyType(String type, String one, String two, String three, String four)
      throws SQLException {
    assumeTrue(kind() == ServerKind.MARIADB || !MariadbValuesTest.ONLY_MARIADBS.contains(type));
    lab.run("CREATE TABLE dst.t (k " + type + " PRIMARY KEY, n int) CHARACTER SET utf8mb4");
    RowSchema schema = schema("t", "*k text", "n int");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      insert(row(one, "1")),
                      insert(row(two, "2")),
                      insert(row(three, "3"))))));
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      change(row(one), row(one, "10")),
                      delete(row(two)),
                      change(row(three), row(four, "30"))))));
      assertThat(numbers()).containsExactly("10", "30");
      applier.apply(
          lab.window(
              new Round.Ordered(
                  List.of(),
                  List.of(
                      new RowChange(schema, row(one), row(one, "11")),
                      new RowChange(schema, row(four), row(two, "31")),
                      new RowChange(schema, null, row(three, "5")),
                      new RowChange(schema, row(one), null)))));
      assertThat(numbers()).containsExactly("5", "31");
      applier.apply(lab.window(net(keyed(schema, delete(row(two)), delete(row(three))))));
      assertThat(numbers()).isEmpty();
    }
  }

  private List<String> numbers() throws SQLException {
    return lab.rows("SELECT n FROM dst.t ORDER BY n");
  }

  /** The index looks at what the server computes, or at a part of a value only. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "g int AS (a * 10) STORED, UNIQUE (g)",
        "g int AS (a * 10) VIRTUAL, UNIQUE (g)",
        "UNIQUE (b(1))",
        "UNIQUE (a, b)"
      })
  void uniqueValuesAreExchangedWhateverTheIndexLooksAt(String more) throws SQLException {
    lab.run("CREATE TABLE dst.t (k int PRIMARY KEY, a int, b varchar(20), " + more + ")");
    RowSchema schema = schema("t", "*k int", "a int", "b text");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(
          lab.window(net(keyed(schema, insert(row("1", "1", "xa")), insert(row("2", "2", "ya"))))));
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      change(row("1"), row("1", "2", "ya")),
                      change(row("2"), row("2", "1", "xa"))))));
    }
    assertThat(lab.replays()).isZero();
    assertThat(lab.rows("SELECT k, a, b FROM dst.t ORDER BY k"))
        .containsExactly("1|2|ya", "2|1|xa");
  }

  /** The server makes the current time or the next number of it, in strict mode as well. */
  @ParameterizedTest(name = "{0}, ordered: {1}")
  @CsvSource(
      delimiter = ';',
      value = {
        "timestamp(6) NOT NULL; false",
        "timestamp(6) NOT NULL; true",
        "timestamp(6) NOT NULL DEFAULT '2000-01-01 00:00:00'; false",
        "int NOT NULL AUTO_INCREMENT, KEY (v); false",
        "int NOT NULL AUTO_INCREMENT, KEY (v); true",
      })
  void aNullOfWhichTheColumnWouldMakeAValueIsAnErrorOfItsData(String column, boolean ordered)
      throws SQLException {
    lab.run("CREATE TABLE dst.t (id int PRIMARY KEY, v " + column + ")");
    RowSchema schema = schema("t", "*id int", "v text");
    Round round =
        ordered
            ? new Round.Ordered(List.of(), List.of(new RowChange(schema, null, row("1", null))))
            : net(keyed(schema, insert(row("1", null))));
    try (BatchApplier applier = lab.applier(0)) {
      assertThatThrownBy(() -> applier.apply(lab.window(round)))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("does not take NULL");
    }
    assertThat(lab.rows("SELECT * FROM dst.t")).isEmpty();
  }

  /** The server would set them to the current time where an update does not name them. */
  @Test
  void columnsThatSetThemselvesKeepTheSourcesValues() throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k int PRIMARY KEY, n int,"
            + " a datetime(6) ON UPDATE CURRENT_TIMESTAMP(6),"
            + " b timestamp(6) NULL ON UPDATE CURRENT_TIMESTAMP(6),"
            + " own datetime(6) DEFAULT '2001-01-01' ON UPDATE CURRENT_TIMESTAMP(6))");
    RowSchema schema = schema("t", "*k int", "n int", "a text", "b text");
    String day = "2020-01-01 00:00:00.000000";
    String zoned = day + "+00";
    String kept = "2|" + day + "|" + day + "|2001-01-01 00:00:00.000000";
    String read =
        "SELECT n, CAST(a AS CHAR), CAST(b AS CHAR), CAST(own AS CHAR) FROM dst.t WHERE k = ";
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      insert(row("1", "1", day, zoned)),
                      insert(row("2", "1", day, zoned)),
                      insert(row("3", "1", day, zoned))))));
      applier.apply(
          lab.window(
              net(
                  keyed(
                      schema,
                      change(row("1"), row("1", "2", day, zoned)),
                      change(row("2"), toasted("2", "2", "~", "~"))))));
      applier.apply(
          lab.window(
              new Round.Ordered(
                  List.of(),
                  List.of(new RowChange(schema, row("3"), toasted("3", "2", "~", "~"))))));
    }
    for (int k = 1; k <= 3; k++) {
      assertThat(lab.rows(read + k)).containsExactly(kept);
    }
  }

  @Test
  void rowsMoveBetweenPartitions() throws SQLException {
    lab.run(
        "CREATE TABLE dst.t (k int, a int, b varchar(20), PRIMARY KEY (k, a))"
            + " PARTITION BY RANGE (a) (PARTITION low VALUES LESS THAN (10),"
            + " PARTITION high VALUES LESS THAN MAXVALUE)");
    RowSchema schema = schema("t", "*k int", "a int", "b text");
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(net(keyed(schema, insert(row("1", "1", "x"))))));
      applier.apply(lab.window(net(keyed(schema, change(row("1"), row("1", "20", "y"))))));
    }
    assertThat(lab.rows("SELECT * FROM dst.t PARTITION (high)")).containsExactly("1|20|y");
  }

  @Test
  void manyLongColumnsFitIntoATemporaryTable() throws SQLException {
    int columns = 80;
    lab.run(
        "CREATE TABLE dst.t (k int PRIMARY KEY, u int UNIQUE, "
            + IntStream.range(0, columns)
                .mapToObj(i -> "c" + i + " varchar(200)")
                .collect(Collectors.joining(", "))
            + ") CHARACTER SET utf8mb4");
    String[] names = new String[columns + 2];
    String[] values = new String[columns + 2];
    Arrays.setAll(names, i -> i == 0 ? "*k int" : i == 1 ? "u int" : "c" + (i - 2) + " text");
    Arrays.fill(values, "é".repeat(200));
    values[0] = "1";
    values[1] = "1";
    RowSchema schema = schema("t", names);
    String[] changed = Collections.nCopies(columns + 2, "~").toArray(String[]::new);
    changed[0] = "2";
    changed[1] = "2";
    try (BatchApplier applier = lab.applier(0)) {
      applier.apply(lab.window(net(keyed(schema, insert(row(values))))));
      applier.apply(lab.window(net(keyed(schema, change(row("1"), toasted(changed))))));
    }
    assertThat(lab.rows("SELECT k, u, CHAR_LENGTH(c0), CHAR_LENGTH(c79) FROM dst.t"))
        .containsExactly("2|2|200|200");
  }
}
