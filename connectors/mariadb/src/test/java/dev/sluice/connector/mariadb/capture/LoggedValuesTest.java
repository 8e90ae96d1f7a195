package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.ValueKind;
import dev.sluice.connector.mariadb.ValueKinds;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * A value of any type that is inserted or updated has the same text in the journal as the target
 * prints for it when the row is loaded.
 */
class LoggedValuesTest {
  private static final int ROWS = 60;

  private static EmbeddedPostgres postgres;

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
  void aValueInTheLogHasTheTextThatPostgresPrintsForTheLoadedOne(
      @ForAll long seed, @ForAll boolean compressed) throws SQLException, IOException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    Random random = new Random(seed);
    List<ValueKind> kinds = ValueKinds.all(random, Servers.areMysql());
    try (LogFixture fixture =
            new LogFixture(
                "SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'",
                compress(compressed),
                Servers.sql("SET GLOBAL log_bin_compress_min_len = 10", "DO 0"));
        Connection target = postgres.connect()) {
      StringBuilder columns = new StringBuilder();
      for (int i = 0; i < kinds.size(); i++) {
        columns.append(", v").append(i).append(' ').append(kinds.get(i).type());
      }
      fixture
          .execute(
              "CREATE TABLE t (id INT PRIMARY KEY"
                  + columns
                  + ", changed INT, computed VARCHAR(30) AS (concat(id, '-', changed)) STORED,"
                  + " shown VARCHAR(30) AS (concat(id, '+', changed)) VIRTUAL) CHARACTER SET utf8mb4")
          .withSourceCatalog();
      // Behind the creation, which would be an obstacle.
      fixture.from(fixture.end().position()).capturing();
      LoadedValues load = new LoadedValues(fixture.database, "t", target);
      String names =
          IntStream.range(0, kinds.size()).mapToObj(i -> "v" + i).collect(Collectors.joining(", "));
      List<String> wrong = new ArrayList<>();
      try (JournalReader reader = fixture.reader()) {
        for (int row = 0; row < ROWS; row++) {
          fixture.execute(
              "INSERT INTO t (id, %s, changed) VALUES (%d, %s, 0)"
                  .formatted(names, row, String.join(", ", values(kinds, random))));
        }
        compare(kinds, reader.read(ROWS), load.rows(), wrong);
        for (int row = 0; row < ROWS; row++) {
          List<String> values = values(kinds, random);
          List<String> assigned = new ArrayList<>(List.of("changed = 1"));
          for (int i = 0; i < values.size(); i++) {
            if (random.nextBoolean()) {
              assigned.add("v" + i + " = " + values.get(i));
            }
          }
          fixture.execute(
              "UPDATE t SET %s WHERE id = %d".formatted(String.join(", ", assigned), row));
        }
        compare(kinds, reader.read(ROWS), load.rows(), wrong);
      } finally {
        fixture.execute(compress(false));
      }
      assertThat(wrong).as("seed %d", seed).isEmpty();
    }
  }

  @Example
  void aTextBehindAGeometryIsReadInItsOwnCharacterSet() throws SQLException, IOException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (LogFixture fixture =
            new LogFixture(
                "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET utf8mb4, p POINT,"
                    + " b VARCHAR(9) CHARACTER SET latin1, g GEOMETRY, c VARBINARY(9),"
                    + " d VARCHAR(9) CHARACTER SET ucs2, e VARCHAR(9) CHARACTER SET utf8mb4)");
        Connection target = postgres.connect()) {
      fixture
          .withSourceCatalog()
          .capturing()
          .execute("INSERT INTO t VALUES (1, 'ä', POINT(1, 2), 'ä', POINT(3, 4), x'e4', 'ä', 'ä')");
      List<String> expected = new LoadedValues(fixture.database, "t", target).rows().get("1");
      try (JournalReader reader = fixture.reader()) {
        RowChange change = (RowChange) reader.read(1).get(0).changes().get(0);
        for (int i = 0; i < expected.size(); i++) {
          assertThat(change.row().text(i)).as("column %d", i).isEqualTo(expected.get(i));
        }
      }
    }
  }

  private static String compress(boolean on) {
    return Servers.sql("SET GLOBAL log_bin_compress = " + on, "DO 0");
  }

  private static List<String> values(List<ValueKind> kinds, Random random) {
    return kinds.stream()
        .map(kind -> random.nextInt(20) == 0 ? "NULL" : kind.literal().apply(random))
        .toList();
  }

  private static void compare(
      List<ValueKind> kinds,
      List<JournalReader.Transaction> logged,
      Map<String, List<String>> loaded,
      List<String> wrong) {
    assertThat(loaded).hasSize(ROWS);
    for (JournalReader.Transaction transaction : logged) {
      RowChange change = (RowChange) transaction.changes().get(0);
      List<String> expected = loaded.get(change.row().text(0));
      assertThat(expected).hasSize(kinds.size() + 4);
      for (int i = 0; i < expected.size(); i++) {
        if (!Objects.equals(change.row().text(i), expected.get(i))) {
          wrong.add(
              "%s: %s in the log, %s loaded"
                  .formatted(
                      i == 0 || i > kinds.size() ? "column " + i : kinds.get(i - 1).type(),
                      change.row().text(i),
                      expected.get(i)));
        }
      }
    }
  }
}
