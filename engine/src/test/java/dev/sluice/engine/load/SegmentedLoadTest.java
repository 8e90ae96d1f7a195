package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.engine.validate.ComparedTable;
import dev.sluice.engine.validate.TableComparison;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SegmentedLoadTest {
  private static final DataSize SMALL = DataSize.ofKibibytes(100);

  private static final String RANGES_OF_A =
      parallelLoad("{\"type\": \"ranges\", \"columns\": [\"a\"], \"boundaries\": [[10]]}");

  private TwoDatabases databases;

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void everyRowOfASegmentedTableIsLoadedOnceWhateverHappensToItsPages(Direction direction)
      throws SQLException {
    databases = new TwoDatabases(direction);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (a int PRIMARY KEY, b text)",
        "INSERT INTO app.t SELECT i, repeat('row ' || i, 5) FROM generate_series(1, 10000) i",
        "DELETE FROM app.t WHERE a % 7 = 0",
        "CREATE TABLE app.p (a int, b text) PARTITION BY RANGE (a)",
        "CREATE TABLE app.p1 PARTITION OF app.p FOR VALUES FROM (0) TO (5000)",
        "CREATE TABLE app.p2 PARTITION OF app.p FOR VALUES FROM (5000) TO (9999)",
        "INSERT INTO app.p SELECT i, repeat('row ' || i, 5) FROM generate_series(1, 5100) i");
    List<TableId> tables = List.of(table("t"), table("p"));
    FullLoad load = load(tables, "");
    LoadPlan plan = load.plan();
    assertThat(plan.segments().stream().filter(segment -> segment.table().equals(table("t"))))
        .hasSizeGreaterThan(3);
    assertThat(plan.segments()).extracting(Segment::leaf).contains(table("p1"), table("p2"));
    // The table grows after its pages were counted, and its rows move after the snapshot was taken.
    databases.onSource(
        "INSERT INTO app.t SELECT i, repeat('row ' || i, 5) FROM generate_series(20000, 25000) i");
    load.prepare(plan, LoadAttempt.FIRST);
    String shown = "SELECT count(*), sum(a), md5(string_agg(b, ',' ORDER BY a)) FROM app.";
    List<String> ofTable = databases.sourceRows(shown + "t");
    List<String> ofPartitioned = databases.sourceRows(shown + "p");
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      databases.onSource(
          "UPDATE app.t SET b = 'moved' WHERE a % 3 = 0",
          "DELETE FROM app.t WHERE a % 5 = 0",
          "INSERT INTO app.t SELECT i, 'new' FROM generate_series(30000, 31000) i",
          "VACUUM app.t",
          "UPDATE app.p SET b = 'moved'");

      assertThat(outcome(load, plan, snapshot)).isInstanceOf(LoadOutcome.Loaded.class);
    }

    assertThat(databases.targetRows(shown + "t")).isEqualTo(ofTable);
    assertThat(databases.targetRows(shown + "p")).isEqualTo(ofPartitioned);
  }

  @Test
  void aTableThatIsRewrittenBetweenTwoOfItsSegmentsIsDetected() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (a int PRIMARY KEY, b text)",
        "INSERT INTO app.t SELECT i, repeat('row ' || i, 5) FROM generate_series(1, 10000) i",
        "CREATE TABLE app.small AS SELECT 1 AS a");
    FullLoad load = load(List.of(table("t"), table("small")), "");
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      databases.onSource("VACUUM FULL app.t");

      assertThat(outcome(load, plan, snapshot)).isInstanceOf(LoadOutcome.SourceChanged.class);
    }
  }

  @Test
  void rangesOfARuleHaveEveryRowOnceAndThoseWithNullToo() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (a int, b text, c int)",
        "INSERT INTO app.t SELECT nullif(i % 50, 7), nullif(chr(65 + i % 26), 'C'), i"
            + " FROM generate_series(1, 3000) i");
    List<TableId> tables = List.of(table("t"));
    FullLoad load =
        load(
            tables,
            parallelLoad(
                "{\"type\": \"ranges\", \"columns\": [\"a\", \"b\"],"
                    + " \"boundaries\": [[10, \"M\"], [\"10\", \"R\"], [40, \"A\"]]}"));
    LoadPlan plan = load.plan();
    assertThat(plan.segments()).hasSize(4);
    load.prepare(plan, LoadAttempt.FIRST);
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      outcome(load, plan, snapshot);
    }

    assertEqual(tables);
  }

  /** The new row would be in none of the plan's ranges. */
  @Test
  void nullsAllowedInTheColumnsOfRangesAfterThePlanAreDetected() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (a int NOT NULL)",
        "INSERT INTO app.t SELECT generate_series(1, 20)");
    FullLoad load = load(List.of(table("t")), RANGES_OF_A);
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    databases.onSource(
        "ALTER TABLE app.t ALTER COLUMN a DROP NOT NULL", "INSERT INTO app.t VALUES (NULL)");
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      assertThat(outcome(load, plan, snapshot)).isInstanceOf(LoadOutcome.SourceChanged.class);
    }
  }

  /** The bounds of ranges depend on the order, so a kept range would not fit its neighbours. */
  @Test
  void aTableWithAnotherSortOrderIsNotTheSame() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app", "CREATE TABLE app.t (a text COLLATE \"C\" PRIMARY KEY)");
    FullLoad load = load(List.of(table("t")), RANGES_OF_A);
    String file = "SELECT pg_relation_filenode('app.t')";
    List<String> before = databases.sourceRows(file);
    LoadPlan plan = load.plan();

    databases.onSource("ALTER TABLE app.t ALTER COLUMN a TYPE text COLLATE \"POSIX\"");

    assertThat(databases.sourceRows(file)).isEqualTo(before);
    assertThat(load.plan().tables().get(0).shape()).isNotEqualTo(plan.tables().get(0).shape());
  }

  @Test
  void aRuleThatDoesNotFitTheTableIsRefusedBeforeAnythingIsChanged() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource("CREATE SCHEMA app", "CREATE TABLE app.t (a int)");
    String ranges = "{\"type\": \"ranges\", \"columns\": [\"a\"], \"boundaries\": [[\"x\"]]}";
    String partitions = "{\"type\": \"partitions-list\", \"partitions\": [\"t_1\"]}";

    assertThatThrownBy(() -> load(List.of(table("t")), parallelLoad(ranges)).plan())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("rule 2")
        .hasMessageContaining("integer");
    assertThatThrownBy(() -> load(List.of(table("t")), parallelLoad(partitions)).plan())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("t_1");
  }

  @Test
  void aTableForWhichARuleSaysNoneIsNotSegmented() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app", "CREATE TABLE app.t AS SELECT generate_series(1, 10000) AS a");

    assertThat(load(List.of(table("t")), parallelLoad("{\"type\": \"none\"}")).plan().segments())
        .hasSize(1);
  }

  private static String parallelLoad(String rule) {
    return """
        , {"rule-type": "table-settings", "rule-id": "2", "rule-name": "2",
           "object-locator": {"schema-name": "app", "table-name": "t"}, "parallel-load": %s}
        """
        .formatted(rule);
  }

  private FullLoad load(List<TableId> tables, String moreRules) {
    return new FullLoad(
        databases.route(
            TableMappings.parse(
                "mappings",
                """
            {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action":
              "include", "object-locator": {"schema-name": "app", "table-name": "%"}}
            """
                    + moreRules
                    + "]}",
                Optional.empty())),
        tables,
        TaskSettings.DEFAULTS
            .with(FullLoadSettings.TARGET_TABLE_PREP_MODE, PrepMode.DROP_AND_CREATE)
            .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 3)
            .with(FullLoadSettings.COMMIT_RATE, 1000)
            .with(SluiceSettings.LOAD_SEGMENT_SIZE, SMALL),
        databases.completion(true));
  }

  private static LoadOutcome outcome(FullLoad load, LoadPlan plan, TwoDatabases.Snapshot snapshot) {
    LoadOutcome outcome = load.load(plan, snapshot.name());
    load.completion().close();
    return outcome;
  }

  private void assertEqual(List<TableId> tables) {
    assertThat(
            new TableComparison(databases.source(), databases.target(), TableMappings.EVERYTHING)
                .compare(tables))
        .hasSize(tables.size())
        .allMatch(ComparedTable::isEqual);
  }
}
