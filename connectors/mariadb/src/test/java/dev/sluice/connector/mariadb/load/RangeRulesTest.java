package dev.sluice.connector.mariadb.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges of a parallel-load rule over texts, in each collation's own order, on a real server. */
class RangeRulesTest {
  private static final String ROWS =
      "INSERT INTO t (c) VALUES ('a'), ('A'), ('b'), ('B'), ('ä'), ('Ä'), ('z'), ('Z'), (''),"
          + " ('ss'), ('ß'), ('s'), ('sz'), (NULL), ('a '), ('é'), ('f'), ('10'), ('9')";

  @ParameterizedTest
  @CsvSource({
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, B|Z|a|b|ä",
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, A|b|s|z",
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, A|a|a |ß",
    "CHARACTER SET latin1 COLLATE latin1_german2_ci, a|ä|b|ß|z",
    "CHARACTER SET latin1 COLLATE latin1_german1_ci, a|b|ß|z",
    "CHARACTER SET latin1 COLLATE latin1_bin, B|Z|a|Ä|ä",
    "CHARACTER SET ucs2 COLLATE ucs2_swedish_ci, b|z|ä",
    "CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci, b|é|f|z"
  })
  void eachRowIsInExactlyOneRange(String collation, String boundaries) throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database =
        new SourceDatabase("CREATE TABLE t (c varchar(20) %s)".formatted(collation))) {
      database.execute("SET NAMES utf8mb4", ROWS);
      try (Connection session = database.sessions().connect()) {
        RangeRules rules = rules(database, session, boundaries.split("\\|"));
        assertThat(rules.problems()).isEmpty();
        List<String> memberships = new ArrayList<>();
        for (SegmentRange range : rules.ranges()) {
          memberships.add("((" + MariadbRange.conditionOf(range).orElseThrow() + ") IS TRUE)");
        }
        List<String> wrong =
            new MariadbQuery(session)
                    .rows(
                        "SELECT c FROM %s WHERE %s <> 1"
                            .formatted(
                                database.table("t").quoted(), String.join(" + ", memberships)))
                    .stream()
                    .map(row -> row[0])
                    .toList();
        assertThat(wrong).as("rows in no range, or in several").isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "varchar(20) COLLATE utf8mb4_bin, a|B, is not above it in the order",
    "varchar(20) COLLATE utf8mb4_general_ci, B|a, is not above it in the order",
    "varchar(20) CHARACTER SET latin1, a|中, has '中' for the column c",
    "varbinary(20), a|B, is not above it in the order",
    "uuid, 01020304-0506-1708-890a-0b0c0d0e0f10|01020304-0506-1708-890b-0b0c0d0e0f10, of type uuid",
    "inet6, ::1|::2, of type inet6",
    "'enum(''b'',''a'')', a|b, of type enum"
  })
  void boundariesThatTheColumnOrdersOtherwiseAreRefused(
      String type, String boundaries, String named) throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database =
            new SourceDatabase("CREATE TABLE t (c %s) CHARACTER SET utf8mb4".formatted(type));
        Connection session = database.sessions().connect()) {
      List<Problem> problems = rules(database, session, boundaries.split("\\|")).problems();
      assertThat(problems.toString()).contains(named);
    }
  }

  @Test
  void bytesAreDividedByTheirOrder() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database = new SourceDatabase("CREATE TABLE t (c varbinary(20))");
        Connection session = database.sessions().connect()) {
      assertThat(rules(database, session, "B", "a").problems()).isEmpty();
    }
  }

  private static RangeRules rules(SourceDatabase database, Connection session, String... boundaries)
      throws SQLException {
    return new RangeRules(
        session,
        DatabaseTables.read(session, database.name).table(database.table("t")).orElseThrow(),
        new ParallelLoad.Ranges(
            "1", List.of("c"), Arrays.stream(boundaries).map(List::of).toList()));
  }
}
