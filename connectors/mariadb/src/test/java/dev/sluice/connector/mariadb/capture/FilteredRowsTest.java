package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.mariadb.capture.LogFixture.fixture;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.config.mappings.RowFilter.Operator;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only the rows that pass a filter are journaled, with what enters and leaves it. */
class FilteredRowsTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT)";
  private static final String OTHER = "CREATE TABLE s (id INT PRIMARY KEY)";

  /** {@code v >= 10}. */
  private static final RowFilter TENS = filter("v", Operator.GTE, "10");

  private static RowFilter filter(String column, Operator operator, String... values) {
    return new RowFilter(
        "1", List.of(new ColumnFilter(column, List.of(new Condition(operator, List.of(values))))));
  }

  private static List<String> texts(List<Transaction> read) {
    return read.stream()
        .flatMap(transaction -> transaction.changes().stream())
        .map(FilteredRowsTest::text)
        .toList();
  }

  private static String text(ChangeEvent change) {
    return change instanceof RowChange row
        ? row.schema().table().name() + MariadbCaptureTest.text(row)
        : "!" + ((Definition) change).changes().changes().get(0).obstacle();
  }

  @Test
  void aRowThatEntersIsInsertedAndOneThatLeavesIsDeleted() {
    try (LogFixture fixture = fixture(TABLE).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 10, 0), (2, 9, 0), (3, NULL, 0), (4, 11, 0)",
          "UPDATE t SET v = v + 1 WHERE id IN (1, 2, 3)",
          "UPDATE t SET v = 3 WHERE id = 1",
          "UPDATE t SET v = NULL WHERE id = 2",
          "UPDATE t SET id = 40, w = 7 WHERE id = 4",
          "DELETE FROM t");
      assertThat(texts(reader.read(6)))
          .containsExactly(
              "t+(1, 10, 0)",
              "t+(4, 11, 0)",
              "t(1)→(1, 11, 0)",
              "t+(2, 10, 0)",
              "t-(1)",
              "t-(2)",
              "t(4)→(40, 11, 7)",
              "t-(40)");
    }
  }

  @Test
  void aRowThatGetsAnotherKeyWhileItEntersOrLeavesIsFoundByTheKeyThatItHadOnTheTarget() {
    try (LogFixture fixture = fixture(TABLE).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 10, 0), (2, 9, 0)", "UPDATE t SET id = id + 10, v = 19 - v");
      assertThat(texts(reader.read(2))).containsExactly("t+(1, 10, 0)", "t-(1)", "t+(12, 10, 0)");
    }
  }

  @Test
  void aRowThatDoesNotPassIsNotJournaledWhateverItsOtherValuesAre() {
    try (LogFixture fixture =
            fixture("CREATE TABLE t (id INT PRIMARY KEY, v INT, w TEXT)")
                .filtering("t", TENS)
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 9, char(0))",
          "UPDATE t SET w = concat('a', char(0)) WHERE id = 1",
          "DELETE FROM t",
          "INSERT INTO t VALUES (2, 10, 'x')");
      assertThat(texts(reader.read(1))).containsExactly("t+(2, 10, 'x')");
    }
  }

  @Test
  void allRowsGoWithATruncation() {
    try (LogFixture fixture = fixture(TABLE).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1, 10, 0)", "TRUNCATE TABLE t");
      assertThat(reader.read(2).get(1).changes()).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE t DROP COLUMN v",
        "ALTER TABLE t DROP COLUMN V",
        "ALTER TABLE t MODIFY v BIGINT",
        "ALTER TABLE t CHANGE v v BIGINT",
        "ALTER TABLE t RENAME COLUMN v TO x"
      })
  void aStatementThatChangesTheColumnOfAFilterIsAnObstacle(String statement) {
    try (LogFixture fixture = fixture(TABLE, OTHER).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1, 10, 0)", statement, "INSERT INTO s VALUES (1)");
      List<String> read = texts(reader.read(3));
      assertThat(read.get(1)).contains("filters the rows of table", "by its column v");
      assertThat(read.get(2)).isEqualTo("s+(1)");
    }
  }

  @Test
  void otherColumnsOfAFilteredTableChangeInTheirPlace() {
    try (LogFixture fixture = fixture(TABLE).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 10, 0)",
          "ALTER TABLE t ADD COLUMN x INT FIRST, DROP COLUMN w",
          "INSERT INTO t VALUES (5, 2, 9), (6, 3, 10)");
      List<Transaction> read = reader.read(3);
      assertThat(HazardsTest.onlyChange(read.get(1)).obstacle()).isNull();
      assertThat(texts(read.subList(2, 3))).containsExactly("t+(6, 3, 10)");
    }
  }

  @Test
  void aFilteredTableThatGetsAnotherNameIsAnObstacle() {
    try (LogFixture fixture = fixture(TABLE, OTHER).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 10, 0)",
          "RENAME TABLE t TO u",
          "INSERT INTO u VALUES (2, 2, 2)");
      fixture.execute("INSERT INTO s VALUES (1)");
      List<String> read = texts(reader.read(3));
      assertThat(read.get(1)).contains("a rule filters the rows of table " + fixture.table("t"));
      assertThat(read.get(2)).isEqualTo("s+(1)");
      assertThat(fixture.gained).isEmpty();
    }
  }

  @Test
  void aTableThatGetsANameWithAFilterIsAnObstacle() {
    try (LogFixture fixture = fixture(TABLE, OTHER).filtering("u", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1, 1, 1)", "RENAME TABLE t TO u");
      assertThat(texts(reader.read(2)).get(1))
          .contains("a rule filters the rows of table " + fixture.table("u"));
    }
  }

  @Test
  void aNewTableWithAFilterIsNotReplicated() {
    try (LogFixture fixture = fixture(OTHER).filtering("t", TENS).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          TABLE + " ENGINE=InnoDB", "INSERT INTO t VALUES (1, 10, 0)", "INSERT INTO s VALUES (1)");
      assertThat(texts(reader.read(1))).containsExactly("s+(1)");
      assertThat(fixture.gained).isEmpty();
    }
  }

  @Test
  void rowsOfAnEarlierTypeForWhichTheFilterIsNotMadeAreAnObstacle() throws Exception {
    try (LogFixture fixture =
            fixture("CREATE TABLE t (id INT PRIMARY KEY, v FLOAT, w INT)", OTHER);
        JournalReader reader = fixture.reader()) {
      var before = fixture.endPosition();
      fixture.execute(
          "INSERT INTO t VALUES (1, 10, 0)",
          "ALTER TABLE t MODIFY v INT",
          "INSERT INTO s VALUES (1)");
      fixture.filtering("t", TENS).from(before).capturing();
      List<String> read = texts(reader.read(3));
      assertThat(read.get(0)).contains("the column v as real", "the filter of rule 1 is not made");
      assertThat(read).last().isEqualTo("s+(1)");
    }
  }
}
